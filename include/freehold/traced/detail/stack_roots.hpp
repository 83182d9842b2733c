#pragma once
// The thread that a traced heap is attached to, and the objects that this thread's variables refer to.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../../core/config.hpp"
#include "../../core/growing_buffer.hpp"
#include "../../core/memcheck.hpp"
#include "chunk_table.hpp"
#include "frame_list.hpp"
#include "local_roots.hpp"
#include "thread_stack.hpp"

namespace freehold::inline v0_2::detail {

class stack_roots {
public:
    // Effects: attach(). Throws: as attach().
    stack_roots(const chunk_table& chunks, bool is_conservative)
        : chunks_(chunks), is_conservative_(is_conservative), reads_words_(is_conservative) {
        attach();
    }

    // Effects: the variables are those of the calling thread, until detach(). Throws: std::bad_alloc if the stack is
    // conservative, and the system does not know it; then nothing has changed.
    void attach() {
        if (reads_words_) [[unlikely]]
            attach_words();
        thread_ = &local_roots::here;
    }

    // Effects: the heap may have frames of coroutines from now on. Throws: std::bad_alloc if the system does not know
    // the stack; then nothing has changed.
    void use_frames() {
        if (reads_words_) return;
        attach_words();
        reads_words_ = true;
    }

    // Throws: std::bad_alloc if the system does not know the stack of the calling thread.
    static void expect_known() { static_cast<void>(thread_stack::here()); }

    [[nodiscard]] frame_roots& frames() noexcept { return frames_; }

    // Effects: as attach(), for a heap that will not collect.
    void attach_to_destroy() noexcept {
        frames_.attach();
        thread_ = &local_roots::here;
    }

    void detach() noexcept {
        if (reads_words_) [[unlikely]]
            frames_.detach();
        thread_ = nullptr;
    }

    [[nodiscard]] bool is_detached() const noexcept { return thread_ == nullptr; }
    [[nodiscard]] bool is_attached_here() const noexcept { return thread_ == &local_roots::here; }

    // Effects: notes what the traced_locals of the calling thread refer to. What looks like one may be left over on the
    // stack, with another word behind it.
    void scan_locals() noexcept {
        found_.truncate(0);
        has_all_locals_ = has_all_words_ = true;
        thread_->each([&](const local_root& root) { has_all_locals_ = found_.push(root.get()) && has_all_locals_; });
        locals_ = found_.size();
    }

    // Effects: in a heap that threads share: notes the words on the stack of the calling thread that lead into the
    // heap. Which of them lead to frames, scan_words() finds out, when no other thread makes objects.
    void note_words() noexcept {
        words_.truncate(0);
        if (stack_of_thread().base == nullptr) {
            has_all_words_ = false;
            return;
        }
        thread_stack::here().each_word([this](const void* word) {
            tell_readable(&word, sizeof(word));
            if (chunks_.contains(word)) has_all_words_ = words_.push(word) && has_all_words_;
        });
    }

    // Effects: keeps the objects that were found, and what refers to none is forgotten. Returns: false if the scan was
    // out of memory. Requires, here and below: no run is in use, and marks are not cleared yet.
    [[nodiscard]] bool keep_objects() noexcept {
        // A pause may have begun when memory was short; its thread changes no traced_local.
        if (!has_all_locals_ && has_all_words_) scan_locals();
        std::size_t kept = 0;
        for (const void* const each : locals()) {
            if (const void* const object = chunks_.object_at(each)) found_[kept++] = object;
        }
        found_.truncate(locals_ = kept);
        return has_all_locals_ && has_all_words_;
    }

    // Effects: finds the objects that a conservative stack seems to refer to, too, and the frames of coroutines that
    // seem to run. Returns: false if out of memory.
    [[nodiscard]] bool scan_words() noexcept {
        bool noted = true;
        if (is_conservative_) {
            stack_.each_word([&](const void* word) { noted = note(word) && noted; });
        } else if (reads_words_) {
            stack_.each_word([&](const void* word) { noted = note_frame(word) && noted; });
        }
        for (const void* const word : words_) noted = note_frame(word) && noted;
        return noted;
    }

    // Returns: what was found: in traced_locals first, then in words.
    [[nodiscard]] std::span<const void* const> found() const noexcept { return {found_.begin(), found_.end()}; }
    [[nodiscard]] std::span<const void* const> locals() const noexcept { return {found_.begin(), locals_}; }

    // Effects: empties the traced_locals.
    void empty_locals() noexcept {
        thread_->each([this](local_root& root) {
            if (chunks_.object_at(root.get()) != nullptr) root.set(nullptr);
        });
    }

    // Returns: whether no traced_local refers to the heap.
    [[nodiscard]] bool has_no_locals() const noexcept {
        bool has_none = true;
        thread_->each([&](const local_root& root) { has_none = has_none && !chunks_.contains(root.get()); });
        return has_none;
    }

private:
    // Not inline, so that a hand-over of other heaps saves no registers for it.
    FREEHOLD_NOINLINE void attach_words() {
        stack_ = thread_stack::here();
        frames_.attach();
    }

    [[nodiscard]] bool note(const void* address) noexcept {
        const void* const object = chunks_.object_at(address);
        return object == nullptr || found_.push(object);
    }

    // A handle has the address of the record: a coroutine that runs has one behind it. An odd one is the end of a
    // chunk.
    [[nodiscard]] bool note_frame(const void* word) noexcept {
        tell_readable(&word, sizeof(word));
        if (std::bit_cast<std::uintptr_t>(word) % alignof(void*) != 0) return true;
        frame_record* const frame = frame_list::frame_at(chunks_, word);
        return frame == nullptr || static_cast<const std::byte*>(word) < frame->frame() || note(word);
    }

    const chunk_table& chunks_;
    frame_roots frames_{chunks_};
    const bool is_conservative_;
    bool reads_words_;               // it is conservative, or the heap of one thread has frames
    local_roots* thread_ = nullptr;  // null if the heap is detached
    thread_stack stack_;             // of that thread, if it is conservative, or there are frames
    growing_list<const void*> found_;
    std::size_t locals_ = 0;           // the first of them, which traced_locals refer to
    growing_list<const void*> words_;  // of the thread, in a heap that threads share
    bool has_all_locals_ = true;
    bool has_all_words_ = true;
};

}  // namespace freehold::detail
