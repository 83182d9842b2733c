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
//
// In a heap that threads share, the list of frames is under the heap's mutex. The list of a frame's traced_locals has
// no lock: one thread at a time runs a coroutine, and collections come while it has stopped.

#include <atomic>
#include <cstddef>

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

    // Effects: there is no coroutine any more. Requires: the thread has the heap.
    void leave() noexcept;
};

// The frames of a heap.
class frame_list {
public:
    // Returns: whether the heap has ever had a frame. relaxed: who knows of a frame was told by who has made it.
    [[nodiscard]] bool is_used() const noexcept { return is_used_.load(std::memory_order_relaxed); }
    void use() noexcept { is_used_.store(true, std::memory_order_relaxed); }

    void add(frame_record& added) noexcept {
        added.next = first_;
        if (first_ != nullptr) first_->link = &added.next;
        added.link = &first_;
        first_ = &added;
    }

    static void remove(frame_record& removed) noexcept {
        if (removed.link == nullptr) return;
        *removed.link = removed.next;
        if (removed.next != nullptr) removed.next->link = removed.link;
        removed.link = nullptr;
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
        return block != nullptr ? frame_in(*block, address) : nullptr;
    }

    // Returns: the same. Requires: the address is in a chunk, and nowhere but in an object. Other threads may make
    // objects meanwhile.
    [[nodiscard]] static frame_record* frame_of(const void* address) noexcept {
        address = wide_chunks::head_of(address);
        return frame_in(traced_chunk::block_of(address), address);
    }

private:
    [[nodiscard]] static frame_record* frame_in(const traced_block& block, const void* address) noexcept {
        if (!block.type->is_frame) return nullptr;
        if (block.is_large()) return &frame_record::in(block.begin, true);
        const std::size_t index = block.index_of(address);
        return index < block.cells ? &frame_record::in(block.cell(index), false) : nullptr;
    }

    frame_record* first_ = nullptr;
    std::atomic<bool> is_used_ = false;
};

// A thread's part in a heap with frames: a traced_local that it makes in one is in the list of that frame.
class frame_roots : root_lists {
public:
    explicit frame_roots(const chunk_table& chunks) noexcept : root_lists{&frame_roots::find}, chunks_(chunks) {}
    frame_roots(const frame_roots&) = delete;
    frame_roots& operator=(const frame_roots&) = delete;
    ~frame_roots() { detach(); }

    // Effects: the calling thread finds the frames, until detach().
    void attach() noexcept { add_to(local_roots::here); }
    void detach() noexcept { remove_from(local_roots::here); }

private:
    static local_root** find(const root_lists& self, const void* place) noexcept {
        if (!static_cast<const frame_roots&>(self).chunks_.contains(place)) return nullptr;
        frame_record* const frame = frame_list::frame_of(place);
        return frame != nullptr ? &frame->locals : nullptr;
    }

    const chunk_table& chunks_;
};

}  // namespace freehold::detail
