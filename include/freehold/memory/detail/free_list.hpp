#pragma once
// A list of free blocks, linked through the blocks themselves.

#include <cstddef>
#include <new>

#include "../../core/annotate.hpp"

namespace freehold::detail {

class free_list {
public:
    // The smallest block and its alignment, in bytes.
    static constexpr std::size_t granularity = sizeof(void*);

    [[nodiscard]] void* newest() const noexcept { return first_; }

    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

    // Effects: takes a block of `bytes` bytes in, and marks it as free.
    void push(void* block, std::size_t bytes) noexcept {
        annotate_allocated(block, sizeof(link));
        first_ = ::new (block) link{first_};
        annotate_free(block, bytes);
    }

    // Returns: the block that was pushed last, taken out of the list. It is to be marked as allocated.
    // Requires: the list is not empty.
    [[nodiscard]] void* pop() noexcept {
        link* const block = first_;
        first_ = read_free(block).next;
        return block;
    }

private:
    struct link {
        link* next;
    };

    link* first_ = nullptr;
};

}  // namespace freehold::detail
