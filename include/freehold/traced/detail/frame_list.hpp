#pragma once
// The frames of coroutines in a traced heap, and the traced_locals in them.
//
// Before each frame there is a frame_record, with a list of the traced_locals in the frame: they are slots of it and no
// roots of a thread, so a heap takes them along from thread to thread. A store into one has no write barrier. So each
// young collection looks into all old frames; the last one of a marking cycle, too.
//
// Only the compiler knows whether a coroutine runs. While it does, it keeps the address of the frame on the stack or in
// a register, where a collection finds it as on a conservative stack: an address behind the record, which no handle
// has.

#include <cstddef>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/config.hpp"
#include "chunk_table.hpp"
#include "local_roots.hpp"
#include "traced_chunk.hpp"
#include "wide_chunks.hpp"

namespace freehold::inline v0_2::detail {

struct alignas(16) frame_record {
    local_root* locals = nullptr;   // in the frame
    void* coroutine = frame();      // its handle's address; null once it is destroyed
    frame_record* next = nullptr;   // in the list of the heap
    frame_record** link = nullptr;  // points to this one

    // A large frame has blocks of its own, which begin with its type.
    static constexpr std::size_t type_bytes = round_up(sizeof(traced_type), 16);

    [[nodiscard]] static frame_record& in(const void* cell, bool is_large) noexcept {
        auto* const begin = static_cast<std::byte*>(const_cast<void*>(cell));
        return *reinterpret_cast<frame_record*>(begin + (is_large ? type_bytes : 0));
    }

    // Returns: the record of the frame at the address.
    [[nodiscard]] static frame_record& of(void* frame) noexcept {
        FREEHOLD_FORGET_ORIGIN(frame);  // a coroutine knows of nothing before its frame
        return static_cast<frame_record*>(frame)[-1];
    }

    [[nodiscard]] void* frame() noexcept { return this + 1; }

    // Effects: there is no coroutine any more.
    void leave() noexcept {
        coroutine = nullptr;
        if (link == nullptr) return;
        *link = next;
        if (next != nullptr) next->link = link;
        link = nullptr;
    }
};

class frame_list : root_lists {
public:
    explicit frame_list(const chunk_table& chunks) noexcept : root_lists{&frame_list::find}, chunks_(chunks) {}
    frame_list(const frame_list&) = delete;
    frame_list& operator=(const frame_list&) = delete;
    ~frame_list() { detach(); }

    // Returns: whether the heap has ever had a frame.
    [[nodiscard]] bool is_used() const noexcept { return is_used_; }

    // Effects: traced_locals in frames will be found. Requires: the heap is attached to the calling thread.
    void use() noexcept {
        if (!std::exchange(is_used_, true)) add_to(local_roots::here);
    }

    // Effects: the frames are those of the calling thread, until detach().
    void attach() noexcept {
        if (is_used_) add_to(local_roots::here);
    }

    void detach() noexcept {
        if (is_used_) remove_from(local_roots::here);
    }

    void add(frame_record& added) noexcept {
        added.next = first_;
        if (first_ != nullptr) first_->link = &added.next;
        added.link = &first_;
        first_ = &added;
    }

    // Effects: calls use(record) for each frame that has not been destroyed.
    template <class Use>
    void each(Use use) const {
        for (const frame_record* each = first_; each != nullptr; each = each->next) use(*each);
    }

    // Returns: the frame that contains the address, or a null pointer.
    [[nodiscard]] static frame_record* frame_at(const chunk_table& chunks, const void* address) noexcept {
        if (!chunks.contains(address)) return nullptr;
        address = wide_chunks::head_of(address);
        const traced_block* const block = traced_chunk::at(address)->opened_block_of(address);
        if (block == nullptr || !block->type->is_frame) return nullptr;
        if (block->is_large()) return &frame_record::in(block->begin, true);
        const std::size_t index = block->index_of(address);
        return index < block->cells ? &frame_record::in(block->cell(index), false) : nullptr;
    }

private:
    static local_root** find(const root_lists& self, const void* place) noexcept {
        frame_record* const frame = frame_at(static_cast<const frame_list&>(self).chunks_, place);
        return frame != nullptr ? &frame->locals : nullptr;
    }

    const chunk_table& chunks_;
    frame_record* first_ = nullptr;
    bool is_used_ = false;
};

}  // namespace freehold::detail
