#pragma once
// reentering_resource: an upstream that uses the resource above it while that asks for memory, as one that writes a log
// would.

#include <cstddef>
#include <functional>
#include <memory_resource>

#include "ledger_resource.hpp"

namespace support {

class reentering_resource final : public std::pmr::memory_resource {
public:
    std::function<void()> use_above;  // called before and after memory is given, but not within itself
    bool enters_to_free = false;      // whether it is also called when memory comes back

    // Returns: where the memory comes from.
    [[nodiscard]] const ledger_resource& ledger() const noexcept { return ledger_; }

private:
    void enter() {
        if (entered_ || !use_above) return;
        entered_ = true;
        use_above();
        entered_ = false;
    }

    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        enter();
        void* const memory = ledger_.allocate(bytes, alignment);
        enter();
        return memory;
    }

    void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
        if (enters_to_free) enter();
        ledger_.deallocate(memory, bytes, alignment);
        if (enters_to_free) enter();
    }

    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    ledger_resource ledger_;
    bool entered_ = false;
};

}  // namespace support
