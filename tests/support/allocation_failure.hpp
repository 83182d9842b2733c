#pragma once
// Makes the allocations of an operation fail, each in turn.

#include <freehold/memory/small_block_pool.hpp>

#include <cstddef>
#include <new>

#include "limited_new.hpp"

namespace support {

// Effects: calls operation(0), operation(1), … where the number is how many allocations it may make, until it no
// longer throws std::bad_alloc; calls check() after each that does.
// Returns: the number of failures, which is that of the allocations.
template <class Operation, class Check>
int fail_each_allocation(Operation operation, Check check) {
    for (int allowed = 0;; ++allowed) {
        try {
            operation(allowed);
            return allowed;
        } catch (const std::bad_alloc&) {
            check();
        }
    }
}

// While one exists, the small-block pool has no block left for this thread, and must go to the system.
class drained_pool {
public:
    drained_pool() noexcept {
        using freehold::small_block_pool;
        // The thread's heap is no block: whoever counts allocations counts those of blocks.
        small_block_pool::deallocate(small_block_pool::allocate(1), 1);
        const limited_new none(0);
        for (std::size_t bytes = small_block_pool::alignment; bytes <= small_block_pool::largest;
             bytes += small_block_pool::alignment) {
            try {
                while (true) taken_ = ::new (small_block_pool::allocate(bytes)) block{taken_, bytes};
            } catch (const std::bad_alloc&) {
            }
        }
    }

    drained_pool(const drained_pool&) = delete;
    drained_pool& operator=(const drained_pool&) = delete;

    ~drained_pool() {
        while (taken_ != nullptr) {
            const block last = *taken_;
            freehold::small_block_pool::deallocate(taken_, last.bytes);
            taken_ = last.next;
        }
    }

private:
    // Fits into the smallest block.
    struct block {
        block* next;
        std::size_t bytes;
    };

    block* taken_ = nullptr;
};

// Effects, Returns: as fail_each_allocation() of operation(), with an empty pool each time.
template <class Operation, class Check>
int fail_each_in_drained_pool(Operation operation, Check check) {
    return support::fail_each_allocation(
        [&](int allowed) {
            const drained_pool drained;
            const limited_new limit(allowed);
            operation();
        },
        check);
}

}  // namespace support
