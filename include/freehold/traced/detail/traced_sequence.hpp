#pragma once
// What traced_vector and traced_deque have in common: a buffer in the heap, which grows.
//
// The heap is that of the object which the container is in. A buffer that grows is taken before anything else is done,
// so a collection comes then or not at all, and finds the old buffer in its place. New elements are constructed before
// the others move, as an argument may be one of them.

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
        // The other one may be in an element of this one.
        const traced_view<Buffer> old = buffer_;
        buffer_ = other.buffer_;
        other.buffer_ = nullptr;
        if (old) old->truncate(0);
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

    // Effects: destroys the elements beyond `size`.
    void truncate(std::size_t size) noexcept {
        if (size < this->size()) buffer_->truncate(size);
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
        if (count > capacity()) return resize_in_larger(count, value...);
        added_elements added(*this);
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

    // Elements of a new buffer that are destroyed unless those before them arrive.
    class new_elements {
    public:
        new_elements(Buffer& buffer, std::size_t first) noexcept : buffer_(buffer), first_(first) {}
        new_elements(const new_elements&) = delete;
        new_elements& operator=(const new_elements&) = delete;
        ~new_elements() {
            while (count_ != 0) std::launder(buffer_.place(first_ + --count_))->~T();
        }

        template <class... Arguments>
        T& add(Arguments&&... arguments) {
            T* const made = ::new (buffer_.place(first_ + count_)) T(std::forward<Arguments>(arguments)...);
            ++count_;
            return *made;
        }
        void dismiss() noexcept { count_ = 0; }

    private:
        Buffer& buffer_;
        std::size_t first_;
        std::size_t count_ = 0;
    };

    [[nodiscard]] traced_mutator& mutator() const noexcept { return traced_collector::mutator_for(this, Buffer::name); }

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
            const construction running(&mutator().constructing);  // it may allocate
            return ::new (place) T(std::forward<Arguments>(arguments)...);
        }
    }

    template <class... Arguments>
    FREEHOLD_NOINLINE T& emplace_in_larger(bool at_front, Arguments&&... arguments) {
        constexpr std::size_t least_bytes = 32;
        constexpr std::size_t least = detail::larger(least_bytes / sizeof(T), std::size_t{1});
        traced_mutator& here = mutator();
        Buffer& larger = make(here, [this] { return detail::larger(capacity_for_more(1), least); }, arguments...);
        const construction running(&here.constructing);
        const std::size_t count = size();
        new_elements added(larger, at_front ? larger.capacity() - 1 : count);
        T& made = added.add(std::forward<Arguments>(arguments)...);
        move_to(larger);
        if constexpr (requires { larger.extend_front(); }) {
            at_front ? larger.extend_front() : larger.set_size(count + 1);
        } else {
            larger.set_size(count + 1);
        }
        added.dismiss();
        return made;
    }

    template <class... Value>
    FREEHOLD_NOINLINE void resize_in_larger(std::size_t count, const Value&... value) {
        traced_mutator& here = mutator();
        Buffer& larger =
            make(here, [&] { return capacity_for_more(count - detail::smaller(size(), count)); }, value...);
        const construction running(&here.constructing);
        new_elements added(larger, size());
        for (std::size_t i = size(); i < count; ++i) static_cast<void>(added.add(value...));
        move_to(larger);
        larger.set_size(detail::larger(larger.size(), count));
        added.dismiss();
    }

    template <class... Arguments>
    FREEHOLD_NOINLINE void replace(std::size_t capacity, const Arguments&... arguments) {
        traced_mutator& here = mutator();
        Buffer& other = make(here, [this, capacity] { return detail::larger(capacity, size()); }, arguments...);
        const construction running(&here.constructing);
        move_to(other);
    }

    // Returns: an empty buffer of that capacity(). Effects: may collect; what the arguments lead to survives, and so
    // does the object that this is in.
    template <class Capacity, class... Arguments>
    [[nodiscard]] Buffer& make(traced_mutator& here, Capacity capacity, const Arguments&... arguments) {
        const held_arguments<type_list<Arguments...>, typename own_types<T>::types> held(
            here.heap.space(), here.held_by_calls, this, arguments...);
        while (true) {
            const std::size_t wanted = capacity();
            if (wanted > max_size()) raise<std::length_error>("freehold: a container in a traced_heap is too long");
            const std::size_t all = maker::capacity_for(wanted);
            Buffer& made = *maker::make(here, all, {}, all);
            // A finalizer may have added elements.
            if (capacity() <= all) return made;
        }
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
