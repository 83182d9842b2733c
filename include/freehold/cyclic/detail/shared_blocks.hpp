#pragma once
// shared_blocks: the blocks of a heap that threads share: how many bytes they may have, and which of them the next
// collection looks at or gives back.
//
// Between two stops of a search, its lists refer to cells of all sessions. A session that has no use for a block can't
// look through these lists, which another one may read. So the block is kept until the next stop has dropped the dead.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "../../core/growing_buffer.hpp"
#include "../../core/spinning_mutex.hpp"
#include "cyclic_block.hpp"
#include "cyclic_cells.hpp"
#include "shared_owners.hpp"

namespace freehold::inline v0_2::detail {

// Threading: core/threading.hpp. The numbers order nothing, and are none of its atomics.
template <class Threading>
class shared_blocks final : public block_source {
public:
    static constexpr std::size_t no_limit = SIZE_MAX;

    ~shared_blocks() { free_kept(); }

    // Effects: sets the limit. Blocks beyond it stay.
    void set_limit(std::size_t bytes) noexcept { limit_.store(bytes, std::memory_order_relaxed); }

    // Returns: a new block; null if there is no memory, or the limit would be exceeded. Relaxed, here and below: the
    // numbers order nothing.
    [[nodiscard]] cyclic_block* try_make(const cyclic_type& type, std::uint64_t session,
                                         const void* registry) noexcept override {
        const std::size_t bytes = type.shape.memory;
        const std::size_t before = bytes_.fetch_add(bytes, std::memory_order_relaxed);
        const std::size_t limit = limit_.load(std::memory_order_relaxed);
        cyclic_block* const made = before <= limit && bytes <= limit - before
                                       ? cyclic_block::make<Threading>(type, session, registry)
                                       : nullptr;
        if (made == nullptr) bytes_.fetch_sub(bytes, std::memory_order_relaxed);
        return made;
    }

    // Effects: gives the block back, or keeps it. Returns: whether it was given back. Requires: it has no object.
    bool give_back(cyclic_block& block) noexcept override {
        if ((block.template thread<Threading>().load(std::memory_order_relaxed) & touched) != 0) forget_touched(block);
        if (!is_keeping_.load(std::memory_order_relaxed)) {
            free(block);
            return true;
        }
        block.next = kept_.load(std::memory_order_relaxed);
        // relaxed: the safepoint orders what free_kept() finds
        while (!kept_.compare_exchange_weak(block.next, &block, std::memory_order_relaxed)) {
        }
        kept_bytes_.fetch_add(block.type->shape.memory, std::memory_order_relaxed);
        return false;
    }

    // Effects: the next collection looks at the second counts of the block.
    void touch(cyclic_block& block) noexcept {
        const std::lock_guard held(mutex_);
        lost_touched_ |= !touched_.push(&block);
    }

    // For a session that has stopped the others.

    // Effects: keeps blocks from now on, or does not.
    void keep(bool is_keeping) noexcept { is_keeping_.store(is_keeping, std::memory_order_relaxed); }

    // Returns: whether enough bytes are kept to go through the lists.
    [[nodiscard]] bool has_many_kept() const noexcept {
        return kept_bytes_.load(std::memory_order_relaxed) > bytes_.load(std::memory_order_relaxed) / 4;
    }

    // Effects: gives back the blocks that were kept. Requires: no list refers to their cells.
    void free_kept() noexcept {
        for (cyclic_block* block = kept_.exchange(nullptr, std::memory_order_relaxed); block != nullptr;) {
            cyclic_block* const next = block->next;
            free(*block);
            block = next;
        }
        kept_bytes_.store(0, std::memory_order_relaxed);
    }

    // Effects: calls use(block) for the blocks that were touched since the last call, each(use) if there was no memory
    // for one of them.
    template <class Each, class Use>
    void take_touched(Each each, Use use) {
        if (std::exchange(lost_touched_, false)) {
            each(use);
        } else {
            for (cyclic_block* const block : touched_) use(*block);
        }
        touched_.truncate(0);
    }

private:
    // Effects: the block is touched no longer. The newest are the most likely ones.
    void forget_touched(cyclic_block& block) noexcept {
        const std::lock_guard held(mutex_);
        for (std::size_t i = touched_.size(); i-- > 0;) {
            if (touched_[i] != &block) continue;
            touched_[i] = touched_[touched_.size() - 1];
            touched_.truncate(touched_.size() - 1);
        }
    }

    void free(cyclic_block& block) noexcept {
        bytes_.fetch_sub(block.type->shape.memory, std::memory_order_relaxed);
        block.give_back();
    }

    std::atomic<std::size_t> bytes_ = 0;
    std::atomic<std::size_t> limit_ = no_limit;
    std::atomic<cyclic_block*> kept_ = nullptr;
    std::atomic<std::size_t> kept_bytes_ = 0;
    std::atomic<bool> is_keeping_ = false;
    spinning_mutex mutex_;  // of the list, unless the sessions are stopped
    growing_list<cyclic_block*> touched_;
    bool lost_touched_ = false;
};

}  // namespace freehold::detail
