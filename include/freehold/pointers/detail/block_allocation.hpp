#pragma once
// Memory for one control block, from a rebound copy of the user's allocator.

#include <memory>
#include <utility>

#include "construction.hpp"

namespace freehold::detail {

// Owns the memory of a Block until release(): a constructor that throws leaves nothing behind.
template <class Block, class Allocator>
class block_allocation {
    using allocator_type = rebound<Allocator, Block>;
    using traits = std::allocator_traits<allocator_type>;

public:
    // Throws: what the allocator's allocate throws.
    explicit block_allocation(const Allocator& allocator)
        : allocator_(allocator), memory_(traits::allocate(allocator_, 1)), owned_(true) {}

    // Effects: takes over memory for a Block.
    block_allocation(const Allocator& allocator, Block* memory) noexcept
        : allocator_(allocator),
          memory_(memory != nullptr ? std::pointer_traits<typename traits::pointer>::pointer_to(*memory) : nullptr),
          owned_(memory != nullptr) {}

    block_allocation(const block_allocation&) = delete;
    block_allocation& operator=(const block_allocation&) = delete;

    ~block_allocation() {
        if (owned_) traits::deallocate(allocator_, memory_, 1);
    }

    [[nodiscard]] void* get() const noexcept { return std::to_address(memory_); }

    void release() noexcept { owned_ = false; }

    // Effects: destroys `block` and frees its memory through `allocator`, which may lie inside it.
    static void free(Block* block, const Allocator& allocator) noexcept {
        allocator_type copy(allocator);
        block->~Block();
        traits::deallocate(copy, std::pointer_traits<typename traits::pointer>::pointer_to(*block), 1);
    }

private:
    allocator_type allocator_;
    typename traits::pointer memory_;
    bool owned_;
};

// Returns: a new Block constructed from the allocator and the arguments.
// Throws: what the allocation or the constructor throws; then nothing is left.
template <class Block, class Allocator, class... Arguments>
[[nodiscard]] Block* make_block(const Allocator& allocator, Arguments&&... arguments) {
    block_allocation<Block, Allocator> memory(allocator);
    Block* const block = ::new (memory.get()) Block(allocator, std::forward<Arguments>(arguments)...);
    memory.release();
    return block;
}

}  // namespace freehold::detail
