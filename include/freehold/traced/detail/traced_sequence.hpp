#pragma once
// What traced_vector and traced_deque have in common: a buffer in the heap, which grows.
//
// The heap is that of the object which the container is in. A buffer that grows is taken before anything else is done,
// so a collection comes then or not at all, and finds the old buffer in its place. The argument is constructed before
// the elements move, as it may be one of them.

#include <cstddef>
#include <cstring>
#include <iterator>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/config.hpp"
#include "../../core/exceptions.hpp"
#include "../../tracing/trace.hpp"
#include "../../tracing/traces_concurrently.hpp"
#include "../traced_ptr.hpp"
#include "../traced_view.hpp"
#include "array_maker.hpp"
#include "construction.hpp"
#include "held_arguments.hpp"
#include "traced_collector.hpp"

namespace freehold::inline v0_2 {

namespace detail {

// Whether a T may be moved to another buffer as bytes.
template <class T>
inline constexpr bool moves_as_bytes = is_traced_pointer<T> || std::is_trivially_copyable_v<T>;

template <class Buffer>
class traced_sequence;

}  // namespace detail

template <class Buffer>
inline constexpr bool traces_concurrently<detail::traced_sequence<Buffer>> = true;

namespace detail {

template <class Buffer>
class traced_sequence {
    using T = typename Buffer::value_type;
    using maker = array_maker<Buffer>;

public:
    traced_sequence() noexcept = default;
    traced_sequence(const traced_sequence&) = delete;

    traced_sequence(traced_sequence&& other) noexcept : buffer_(other.buffer_) { other.buffer_ = nullptr; }

    traced_sequence& operator=(traced_sequence&& other) noexcept {
        if (this == &other) return *this;
        truncate(0);
        buffer_ = other.buffer_;
        other.buffer_ = nullptr;
        return *this;
    }

    void trace(auto& visit) const { visit(buffer_); }

    void swap(traced_sequence& other) noexcept {
        const traced_view<Buffer> own = buffer_;
        buffer_ = other.buffer_;
        other.buffer_ = own;
    }

    [[nodiscard]] std::size_t size() const noexcept { return buffer_ ? buffer_->size() : 0; }
    [[nodiscard]] std::size_t capacity() const noexcept { return buffer_ ? buffer_->capacity() : 0; }
    [[nodiscard]] static constexpr std::size_t max_size() noexcept { return maker::max_size; }

    // Returns: the buffer, or a null pointer if there never was an element.
    [[nodiscard]] Buffer* buffer() const noexcept { return buffer_.get(); }

    // Effects: appends a T(arguments...). Returns: it. Throws: std::bad_alloc, std::length_error, or what the
    // constructor throws; then nothing has changed.
    template <class... Arguments>
    FREEHOLD_ALWAYS_INLINE T& emplace_back(Arguments&&... arguments) {
        Buffer* const its = buffer_.get();
        if (its == nullptr || its->size() == its->capacity()) [[unlikely]]
            return emplace_in_larger(false, std::forward<Arguments>(arguments)...);
        T* const made = construct(its->place(its->size()), std::forward<Arguments>(arguments)...);
        its->set_size(its->size() + 1);
        return *made;
    }

    // Effects: the same, before the first element.
    template <class... Arguments>
    T& emplace_front(Arguments&&... arguments) {
        Buffer* const its = buffer_.get();
        if (its == nullptr || its->size() == its->capacity()) [[unlikely]]
            return emplace_in_larger(true, std::forward<Arguments>(arguments)...);
        T* const made = construct(its->place(its->capacity() - 1), std::forward<Arguments>(arguments)...);
        its->extend_front();
        return *made;
    }

    // Effects: destroys the last elements. Requires: size <= size().
    void truncate(std::size_t size) noexcept {
        if (buffer_) buffer_->truncate(size);
    }

    // Effects: capacity() >= capacity. May collect; what the arguments lead to survives. Throws: std::bad_alloc or
    // std::length_error; then nothing has changed.
    template <class... Arguments>
    void reserve(std::size_t capacity, const Arguments&... arguments) {
        if (capacity > this->capacity()) replace(capacity, arguments...);
    }

    // Effects: the capacity is the least that suffices. Throws: as reserve.
    void shrink_to_fit() {
        if (size() == 0) {
            buffer_ = nullptr;
        } else if (maker::capacity_for(size()) < capacity()) {
            replace(size());
        }
    }

    // Effects: appends the elements of the range; all, or if that throws none. Throws: as emplace_back.
    template <class Iterator>
    void append(Iterator first, Iterator last) {
        added_elements added(*this);
        if constexpr (std::forward_iterator<Iterator>) {
            const auto count = static_cast<std::size_t>(std::distance(first, last));
            if (count > capacity() - size()) replace(capacity_for_more(count), held_range<Iterator>{first, last});
        }
        for (; first != last; ++first) static_cast<void>(emplace_back(*first));
        added.sequence = nullptr;
    }

    // Effects: the elements beyond `count` are destroyed; or T(value...) is appended until there are `count`. If that
    // throws, none is appended.
    template <class... Value>
    void resize(std::size_t count, const Value&... value) {
        if (count <= size()) return truncate(count);
        added_elements added(*this);
        if (count > capacity()) replace(capacity_for_more(count - size()), value...);
        while (size() != count) static_cast<void>(emplace_back(value...));
        added.sequence = nullptr;
    }

private:
    // Returns: the capacity to grow to for `count` more elements. Throws: std::length_error.
    [[nodiscard]] std::size_t capacity_for_more(std::size_t count) const {
        if (count > max_size() - size()) raise<std::length_error>("freehold: a container in a traced_heap is too long");
        return detail::larger(size() + count, detail::smaller(2 * capacity(), max_size()));
    }

    // Elements that are removed again unless all arrive.
    struct added_elements {
        explicit added_elements(traced_sequence& to) noexcept : sequence(&to), before(to.size()) {}
        added_elements(const added_elements&) = delete;
        added_elements& operator=(const added_elements&) = delete;
        ~added_elements() {
            if (sequence != nullptr) sequence->truncate(before);
        }
        traced_sequence* sequence;
        std::size_t before;
    };

    // An element that is destroyed unless the elements before it arrive.
    struct new_element {
        explicit new_element(T* made) noexcept : element(made) {}
        new_element(const new_element&) = delete;
        new_element& operator=(const new_element&) = delete;
        ~new_element() {
            if (element != nullptr) element->~T();
        }
        T* element;
    };

    [[nodiscard]] traced_collector& heap() const noexcept { return traced_collector::of(this, Buffer::name); }

    template <class... Arguments>
    FREEHOLD_ALWAYS_INLINE T* construct(void* place, Arguments&&... arguments) {
        if constexpr (Buffer::has_fixed_slots) {
            T* const slot = std::launder(static_cast<T*>(place));
            if constexpr (sizeof...(Arguments) == 0) {
                *slot = nullptr;
            } else {
                *slot = (std::forward<Arguments>(arguments), ...);
            }
            return slot;
        } else if constexpr (std::is_nothrow_constructible_v<T, Arguments...>) {
            return ::new (place) T(std::forward<Arguments>(arguments)...);
        } else {
            const construction running(&heap().constructing);  // it may allocate
            return ::new (place) T(std::forward<Arguments>(arguments)...);
        }
    }

    template <class... Arguments>
    FREEHOLD_NOINLINE T& emplace_in_larger(bool at_front, Arguments&&... arguments) {
        constexpr std::size_t least_bytes = 32;
        const std::size_t least = detail::larger(least_bytes / sizeof(T), std::size_t{1});
        traced_collector& its = heap();
        const std::size_t count = size();
        Buffer& larger = make(its, detail::larger(capacity_for_more(1), least), arguments...);
        const construction running(&its.constructing);
        const std::size_t place = at_front ? larger.capacity() - 1 : count;
        new_element added(::new (larger.place(place)) T(std::forward<Arguments>(arguments)...));
        move_to(larger);
        if constexpr (requires { larger.extend_front(); }) {
            at_front ? larger.extend_front() : larger.set_size(count + 1);
        } else {
            larger.set_size(count + 1);
        }
        return *std::exchange(added.element, nullptr);
    }

    template <class... Arguments>
    FREEHOLD_NOINLINE void replace(std::size_t capacity, const Arguments&... arguments) {
        if (capacity > max_size()) raise<std::length_error>("freehold: a container in a traced_heap is too long");
        traced_collector& its = heap();
        Buffer& other = make(its, capacity, arguments...);
        const construction running(&its.constructing);
        move_to(other);
    }

    // Returns: an empty buffer. Effects: may collect; what the arguments lead to survives, and so does the object that
    // this is in.
    template <class... Arguments>
    [[nodiscard]] Buffer& make(traced_collector& its, std::size_t capacity, const Arguments&... arguments) {
        const held_arguments<type_list<Arguments...>, typename own_types<T>::types> held(its.space(), its.held_by_calls,
                                                                                         this, arguments...);
        capacity = maker::capacity_for(capacity);
        return *maker::make(its, capacity, {}, capacity);
    }

    // Effects: moves all elements to the other buffer, or copies them if a move may throw, and uses it from now on.
    // Throws: what a copy throws; then the other buffer has the copies, and nothing else has changed.
    void move_to(Buffer& other) {
        if (buffer_) {
            for (const std::span<const T> part : buffer_->parts()) {
                if constexpr (moves_as_bytes<T>) {
                    // No store needs to be remembered: the other buffer is new, and traced if it is reachable.
                    if (!part.empty())
                        std::memcpy(static_cast<void*>(other.place(other.size())), part.data(), part.size_bytes());
                    other.set_size(other.size() + part.size());
                } else {
                    for (const T& each : part) {
                        ::new (other.place(other.size())) T(std::move_if_noexcept(const_cast<T&>(each)));
                        other.set_size(other.size() + 1);
                    }
                }
            }
            buffer_->truncate(0);
        }
        buffer_ = traced_view<Buffer>(&other);
    }

    traced_ptr<Buffer> buffer_;
};

}  // namespace detail
}  // namespace freehold
