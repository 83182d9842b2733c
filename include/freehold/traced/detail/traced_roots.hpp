#pragma once
// What a collection begins with: the locals of a thread, and handles that a heap knows in a list.

#include "../../core/static_tls.hpp"

namespace freehold::detail {

// What a local has: the objects that it and those that are older hold are found from the newest.
struct local_root {
    const void* object;
    local_root* older;

    FREEHOLD_STATIC_TLS static inline constinit thread_local local_root* newest = nullptr;
};

// A handle in the list of a heap. It may be anywhere and end at any time.
class listed_handle {
public:
    listed_handle() = default;
    listed_handle(const listed_handle&) = delete;
    listed_handle& operator=(const listed_handle&) = delete;
    ~listed_handle() { unlist(); }

    // Effects: the handle is the first of the list that begins at `first`.
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

    [[nodiscard]] bool is_listed() const noexcept { return link_ != nullptr; }
    [[nodiscard]] listed_handle* next() const noexcept { return next_; }

    const void* object = nullptr;

private:
    listed_handle* next_ = nullptr;
    listed_handle** link_ = nullptr;  // what points to this handle
};

}  // namespace freehold::detail
