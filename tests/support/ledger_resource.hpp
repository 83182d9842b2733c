#pragma once
// ledger_resource: an upstream that writes down what it gives, checks what it gets back, and fails when told to.
//
// Thread safety: allocate and deallocate may be called by any thread.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <map>
#include <memory_resource>
#include <mutex>
#include <new>

namespace support {

// What a ledger_resource throws: a test sees that it was passed on as it is.
struct upstream_failure : std::bad_alloc {};

class ledger_resource final : public std::pmr::memory_resource {
public:
    struct block {
        std::size_t bytes;
        std::size_t alignment;
    };

    static constexpr int unlimited = std::numeric_limits<int>::max();

    ledger_resource() = default;
    ledger_resource(const ledger_resource&) = delete;
    ledger_resource& operator=(const ledger_resource&) = delete;
    ~ledger_resource() override { EXPECT_TRUE(live.empty()) << "a block was not given back to its upstream"; }

    std::map<const void*, block> live;
    block last_request{0, 0};
    std::size_t largest_request = 0;  // in bytes
    int allocations = 0;
    int deallocations = 0;
    int allocations_left = unlimited;  // the next one throws when this is 0
    std::size_t bytes_live = 0;
    std::size_t bytes_peak = 0;
    std::size_t bytes_limit = std::numeric_limits<std::size_t>::max() / 2;  // what would make more live throws

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        const std::lock_guard held(mutex_);
        last_request = {bytes, alignment};
        largest_request = std::max(largest_request, bytes);
        const std::size_t larger = std::max(bytes, alignment);
        if (allocations_left == 0 || larger > bytes_limit || bytes_live > bytes_limit - larger) {
            throw upstream_failure();
        }
        void* const memory = ::operator new(bytes, std::align_val_t{alignment});
        if (allocations_left != unlimited) --allocations_left;
        std::memset(memory, 0xA5, bytes);  // who takes fresh memory to be zero is found out
        live[memory] = last_request;
        ++allocations;
        bytes_live += bytes;
        bytes_peak = std::max(bytes_peak, bytes_live);
        return memory;
    }

    void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
        const std::lock_guard held(mutex_);
        const auto known = live.find(memory);
        ASSERT_NE(known, live.end()) << "not a block of this upstream";
        EXPECT_EQ(known->second.bytes, bytes);
        EXPECT_EQ(known->second.alignment, alignment);
        std::memset(memory, 0x5A, known->second.bytes);  // AddressSanitizer reports what came back marked as free
        bytes_live -= known->second.bytes;
        ++deallocations;
        const std::align_val_t boundary{known->second.alignment};
        live.erase(known);
        ::operator delete(memory, boundary);
    }

    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    std::mutex mutex_;
};

}  // namespace support
