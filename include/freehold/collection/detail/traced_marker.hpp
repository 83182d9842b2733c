#pragma once
// Marks what can be reached. It is the visitor that `trace` is given, and keeps what is still to be looked into on a
// stack of its own, so that chains may have any length.

#include <cstddef>
#include <utility>

#include "growing_buffer.hpp"
#include "traced_chunk.hpp"

namespace freehold::detail {

class traced_marker {
public:
    // Effects: marks what a traced pointer leads to.
    void operator()(const auto& pointer) noexcept { mark(pointer.get()); }

    // Effects: marks the object, if it was not, and will look into it. Requires: null, or an address in an object.
    void mark(const void* address) noexcept {
        if (address == nullptr) return;
        traced_block& block = traced_chunk::block_of(address);
        const std::size_t index = block.index_of(address);
        if (!block.mark(index)) return;
        ++objects_;
        bytes_ += block.type->cell_bytes;
        if (block.type->trace != nullptr && !stack_.push(block.cell(index))) [[unlikely]]
            overflowed_ = true;
    }

    // Effects: looks into an object that is marked.
    void look_into(const traced_block& block, std::size_t index) {
        if (block.type->trace != nullptr) block.type->trace(block.cell(index), *this);
    }

    // Effects: looks into all that is on the stack, and into what that leads to.
    void drain() {
        while (!stack_.empty()) {
            const std::byte* const object = stack_.pop();
            traced_chunk::block_of(object).type->trace(object, *this);
        }
    }

    // Returns: whether the stack could not grow, so that objects were marked that were not looked into. Effects:
    // forgets it.
    [[nodiscard]] bool take_overflow() noexcept { return std::exchange(overflowed_, false); }

    // Effects: begins to count from 0.
    void restart() noexcept { objects_ = bytes_ = 0; }

    // What was marked since restart().
    [[nodiscard]] std::size_t objects() const noexcept { return objects_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
    growing_list<const std::byte*> stack_;
    std::size_t objects_ = 0;
    std::size_t bytes_ = 0;
    bool overflowed_ = false;
};

}  // namespace freehold::detail
