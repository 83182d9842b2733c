#pragma once
// cached_snapshot<T>: one reader's snapshot of an atomic_shared_ptr, taken anew only when the value has changed.
//
// For threads that read one pointer again and again while it seldom changes: a read is a load and a comparison.
//
// Thread safety: one cached_snapshot may be used by one thread at a time. Exceptions: none. Complexity: constant.
// Cost: four words. Between two reads the last value stays alive, also after the atomic has another one: a reader that
// pauses for long calls reset().

#include <cstdint>
#include <memory>
#include <type_traits>

#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "atomic_shared_ptr.hpp"
#include "snapshot_ptr.hpp"

namespace freehold::inline v0_2 {

template <class T, class Pointer>
class cached_snapshot {
public:
    using element_type = std::remove_extent_t<T>;

    // Requires: `source` exists as long as *this.
    explicit cached_snapshot(const std::atomic<Pointer>& source) noexcept : source_(&source) {}
    explicit cached_snapshot(const std::atomic<Pointer>&&) = delete;  // a temporary would be gone

    // Returns: the value of `source`, which lives at least until the next get() or reset().
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE element_type* get() noexcept {
        // A snapshot protects its word: as long as it is here, the same word is the same value.
        if (!source_->holds(last_)) [[unlikely]]
            source_->renew(last_);
        return last_.get();
    }

    // Requires of both: get() != nullptr. There is no operator bool: the value could be another one in the next call.
    [[nodiscard]] T* operator->() noexcept
        requires(!std::is_array_v<T>)
    {
        return not_null(get());
    }

    [[nodiscard]] std::add_lvalue_reference_t<T> operator*() noexcept
        requires(!std::is_array_v<T> && !std::is_void_v<T>)
    {
        return *not_null(get());
    }

    // Returns: an owner of what get() returns.
    [[nodiscard]] Pointer share() noexcept {
        static_cast<void>(get());
        return last_.share();
    }

    // Effects: lets the last value go.
    void reset() noexcept { last_.reset(); }

private:
    FREEHOLD_ALWAYS_INLINE static element_type* not_null(element_type* value) noexcept {
        FREEHOLD_EXPECTS(value != nullptr, "a null pointer is dereferenced", "freehold::cached_snapshot");
        return value;
    }

    const std::atomic<Pointer>* source_;
    snapshot_ptr<T, Pointer> last_;
};

template <class Pointer>
cached_snapshot(const std::atomic<Pointer>&)
    -> cached_snapshot<typename detail::pointer_word<Pointer>::element_type, Pointer>;

}  // namespace freehold
