#pragma once
// ephemeron<Key, Value>: two objects of a traced heap, the second of which lives for as long as the first can be
// reached, from elsewhere than the second.
//
//     std::vector<freehold::ephemeron<widget, notes>> notes_of_widgets;     // empty where the widget has gone
//
// It does not keep the key alive; the key keeps the value alive, through it. Once the key can't be reached any more,
// both are cleared. It may be anywhere; in an object of the heap, it counts while that object can be reached.
//
// Thread safety: that of its heap, which belongs to one thread. Exceptions: none.
// Complexity: constant; a full collection goes through all of them as often as one leads to the key of another.
// Cost: four words, in a list of the heap, and no allocation. A young collection looks at those that were set since the
// last one.

#include "../tracing/trace.hpp"
#include "detail/ephemeron_handle.hpp"
#include "detail/traced_store.hpp"
#include "traced_local.hpp"
#include "traced_view.hpp"

namespace freehold {

template <class Key, class Value>
class ephemeron {
public:
    // Postconditions: expired().
    ephemeron() noexcept = default;

    // Requires: both are objects of one heap.
    ephemeron(traced_view<Key> key, traced_view<Value> value) noexcept {
        FREEHOLD_EXPECTS(key.get() != nullptr && value.get() != nullptr, "an ephemeron needs a key and a value",
                         "freehold::ephemeron");
        set(key.get(), value.get());
    }

    ephemeron(const ephemeron& other) noexcept : ephemeron() { set(other.handle_.object, other.handle_.value); }

    ephemeron& operator=(const ephemeron& other) noexcept {
        set(other.handle_.object, other.handle_.value);
        return *this;
    }

    ~ephemeron() = default;

    void reset() noexcept { handle_.clear(); }

    [[nodiscard]] bool expired() const noexcept { return handle_.object == nullptr; }

    // Returns: the key, or the value, which is kept alive so; or an empty local if the key is gone.
    [[nodiscard]] traced_local<Key> key() const noexcept { return look<Key>(handle_.object); }
    [[nodiscard]] traced_local<Value> value() const noexcept { return look<Value>(handle_.value); }

private:
    template <class T>
    [[nodiscard]] static traced_view<T> look(const void* object) noexcept {
        return traced_view<T>(static_cast<T*>(const_cast<void*>(object)));
    }

    void set(const void* key, const void* value) noexcept {
        handle_.object = key;
        handle_.value = value;
        if (key == nullptr) return handle_.unlist();
        handle_.list(detail::traced_store::of(key).young_ephemerons);
    }

    detail::ephemeron_handle handle_;
};

template <class Key, class Value>
inline constexpr bool is_untraced<ephemeron<Key, Value>> = true;

}  // namespace freehold
