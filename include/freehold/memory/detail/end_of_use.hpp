#pragma once
// end_use: what a pool checks first when a block is freed. Without FREEHOLD_HARDENED nothing.

#include "../../core/memcheck.hpp"
#include "block_lists.hpp"
#include "block_states.hpp"
#include "hardening.hpp"

#ifdef FREEHOLD_HARDENED
#include "guarded_blocks.hpp"
#endif

namespace freehold::detail {

#ifdef FREEHOLD_HARDENED

// Effects: frees a guarded block; else aborts, unless memcheck is there to report what is wrong with the block.
// Returns: whether the caller is to free the block.
[[nodiscard, gnu::cold, gnu::noinline]] inline bool end_other_use(void* block, bool is_freed) noexcept {
    if (is_memcheck()) return true;
    if (is_freed) heap_is_corrupt("a block is freed twice");
    guarded_blocks::record* const guarded = guarded_blocks::find(block);
    if (guarded == nullptr) heap_is_corrupt("what is freed is not the beginning of a block in use");
    guarded_blocks::deallocate(block, *guarded);
    return false;
}

#endif

// Effects: notes that the block is no longer in use. A hardened program aborts if that is wrong.
// Returns: whether the caller is to free the block.
template <class Sizes>
[[nodiscard, gnu::always_inline]] inline bool end_use([[maybe_unused]] void* block) noexcept {
#ifdef FREEHOLD_HARDENED
    using states = block_states<Sizes::granularity>;
    if (!states::take_back(block)) [[unlikely]]
        return end_other_use(block, states::is_freed(block));
#endif
    return true;
}

}  // namespace freehold::detail
