#pragma once
// ephemeron<Key, Value>: two objects of a traced heap. The value lives as long as the key can be reached, other than
// through the value.
//
//     std::vector<freehold::ephemeron<widget, notes>> notes_of_widgets;     // empty once the widget is gone
//
// It does not keep the key alive. The key keeps the value alive, through it. Once the key can no longer be reached,
// both are cleared. It may be anywhere; in an object of the heap, it has an effect as long as that object can be
// reached.
//
// Thread safety: that of its heap, which belongs to one thread at a time. Exceptions: none.
// Complexity: constant. A full collection visits all of them, a young one those that were set since the last
// collection. It is linear in their number, even if each leads to the key of another. Cost: four words, in a list of
// the heap, and no allocation. While a collection finds some whose keys others lead to, it takes eight words for each;
// without that memory, it visits all again for each that leads to the key of another.

#include "../core/assert.hpp"
#include "../core/type_name.hpp"
#include "../tracing/trace.hpp"
#include "detail/heap_checks.hpp"
#include "detail/traced_roots.hpp"
#include "detail/write_barrier.hpp"
#include "traced_local.hpp"
#include "traced_view.hpp"

namespace freehold::inline v0_2 {

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

    void reset() noexcept { set(nullptr, nullptr); }

    [[nodiscard]] bool expired() const noexcept { return handle_.object == nullptr; }

    // Returns: a root of the key, or of the value; an empty one if the key is gone.
    [[nodiscard]] traced_local<Key> key() const noexcept { return root_of<Key>(handle_.object); }
    [[nodiscard]] traced_local<Value> value() const noexcept { return root_of<Value>(handle_.value); }

private:
    template <class T>
    [[nodiscard]] static traced_local<T> root_of(const void* object) noexcept {
        check_alive(object);
        return traced_view<T>(static_cast<T*>(const_cast<void*>(object)));
    }

    static void check_alive(const void* object) noexcept {
        if constexpr (detail::heap_checks::is_on)
            detail::heap_checks::check_object(object, detail::type_name<ephemeron>);
    }

    void set(const void* key, const void* value) noexcept {
        check_alive(key);
        check_alive(value);
        handle_.leave();
        handle_.value = value;
        detail::traced_space::list(handle_, key, &detail::listed_handles::ephemerons);
    }

    detail::ephemeron_handle handle_;
};

template <class Key, class Value>
inline constexpr bool is_untraced<ephemeron<Key, Value>> = true;

}  // namespace freehold
