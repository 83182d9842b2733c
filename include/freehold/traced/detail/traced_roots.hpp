#pragma once
// The handles that a collection looks at before and after it marks: traced_root, traced_weak_ptr and ephemeron. Each is
// in a list of its heap. traced_locals are in local_roots.hpp.

#include <cstddef>

#include "heap_checks.hpp"

namespace freehold::inline v0_2::detail {

// Part of a handle in a list of a heap. It may be anywhere, and be destroyed at any time.
class listed_handle {
public:
    listed_handle() = default;
    listed_handle(const listed_handle&) = delete;
    listed_handle& operator=(const listed_handle&) = delete;
    ~listed_handle() { leave(); }

    // Effects: the handle is in no list. Requires: its object is null, or of a heap that the calling thread has.
    void leave() noexcept;

    // Effects: becomes the first of the list that begins at `first`.
    void list(listed_handle*& first) noexcept {
        unlist();
        next_ = first;
        if (next_ != nullptr) next_->link_ = &next_;
        link_ = &first;
        first = this;
    }

    void unlist() noexcept {
        if (link_ == nullptr) return;
        *link_ = next_;
        if (next_ != nullptr) next_->link_ = link_;
        link_ = nullptr;
    }

    void clear() noexcept {
        object = nullptr;
        unlist();
    }

    [[nodiscard]] listed_handle* next() const noexcept { return next_; }

    const void* object = nullptr;

private:
    listed_handle* next_ = nullptr;
    listed_handle** link_ = nullptr;  // points to this handle
};

// Part of an ephemeron: the value lives as long as the key, which is `object`.
struct ephemeron_handle : listed_handle {
    const void* value = nullptr;  // null if and only if the key is

    void clear() noexcept {
        value = nullptr;
        listed_handle::clear();
    }
};

// A young collection looks only at the handles that were set since the last collection: the others lead to old objects.
template <class Handle>
class aged_handles {
public:
    void add(Handle& handle) noexcept { handle.list(young_); }

    // Effects: calls use(handle) for each handle that a collection looks at.
    template <class Use>
    void each(bool full, Use use) const {
        const listed_handle* const lists[] = {young_, full ? old_ : nullptr};
        for (const listed_handle* list : lists) {
            for (; list != nullptr; list = list->next()) use(static_cast<const Handle&>(*list));
        }
    }

    // Effects: all handles are old. Complexity: linear in the young ones.
    void age() noexcept {
        while (young_ != nullptr) young_->list(old_);
    }

    // Effects: clears those for which !keeps(handle); the others are old.
    template <class Keeps>
    void clear_unless(bool full, Keeps keeps) noexcept {
        listed_handle* next = nullptr;
        for (listed_handle* each = full ? old_ : nullptr; each != nullptr; each = next) {
            next = each->next();
            auto& handle = static_cast<Handle&>(*each);
            if (!keeps(handle)) handle.clear();
        }
        while (young_ != nullptr) {
            auto& handle = static_cast<Handle&>(*young_);
            keeps(handle) ? handle.list(old_) : handle.clear();
        }
    }

private:
    listed_handle* young_ = nullptr;
    listed_handle* old_ = nullptr;
};

// The lists of a heap.
struct listed_handles {
    aged_handles<listed_handle> roots;
    aged_handles<listed_handle> weak;
    aged_handles<ephemeron_handle> ephemerons;

    // Effects: empties all handles.
    void clear() noexcept {
        roots.clear_unless(true, [](const listed_handle&) { return false; });
        weak.clear_unless(true, [](const listed_handle&) { return false; });
        ephemerons.clear_unless(true, [](const ephemeron_handle&) { return false; });
    }
};

}  // namespace freehold::detail
