#pragma once
// traced_deque<T>: a queue with two ends, for objects of a traced heap. Its elements are in the heap, too.
//
//     struct worker { freehold::traced_deque<freehold::traced_ptr<task>> waiting = {}; };
//     self->waiting.push_back(heap.make<task>());
//     self->waiting.pop_front();
//
// The elements are in one ring in the heap. It is std::deque but for what traced_vector.hpp says of vectors, and this:
//   push_back and push_front may move the elements, as push_back of a vector does: pointers and references to them
//   become invalid then. Iterators stay valid: they are numbers of elements
//   insert and erase in the middle move all elements after it
//
// Thread safety: that of its heap. Exceptions: as of traced_vector. Complexity: push_back and push_front take amortized
// constant time. Cost: a word, and in the heap three words and the capacity.

#include <compare>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <new>
#include <stdexcept>
#include <utility>

#include "../core/assert.hpp"
#include "../core/exceptions.hpp"
#include "../tracing/points_directly.hpp"
#include "detail/element_moves.hpp"
#include "detail/index_iterator.hpp"
#include "detail/traced_buffer.hpp"
#include "detail/traced_sequence.hpp"

namespace freehold::inline v0_2 {

template <class T>
class traced_deque;

template <class T>
inline constexpr bool points_directly<traced_deque<T>> = true;

template <class T>
class traced_deque {
    using buffer = detail::ring_buffer<T>;

public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using const_reference = const T&;
    using pointer = T*;
    using const_pointer = const T*;
    using iterator = detail::index_iterator<traced_deque>;
    using const_iterator = detail::index_iterator<const traced_deque>;
    using reverse_iterator = std::reverse_iterator<iterator>;
    using const_reverse_iterator = std::reverse_iterator<const_iterator>;

    traced_deque() noexcept = default;
    explicit traced_deque(std::size_t count) { resize(count); }
    traced_deque(std::size_t count, const T& value) { resize(count, value); }
    traced_deque(std::initializer_list<T> values) : traced_deque(values.begin(), values.end()) {}

    template <std::input_iterator Iterator>
    traced_deque(Iterator first, Iterator last) {
        storage_.append(first, last);
    }

    traced_deque(const traced_deque& other) : traced_deque(other.begin(), other.end()) {}
    traced_deque(traced_deque&& other) noexcept = default;

    traced_deque& operator=(const traced_deque& other) {
        if (this != &other) assign(other.begin(), other.end());
        return *this;
    }

    // Effects: takes the buffer. Requires: both are in objects of one heap.
    traced_deque& operator=(traced_deque&& other) noexcept = default;

    traced_deque& operator=(std::initializer_list<T> values) {
        assign(values.begin(), values.end());
        return *this;
    }

    // Requires: no iterator of this deque.
    template <std::input_iterator Iterator>
    void assign(Iterator first, Iterator last) {
        clear();
        storage_.append(first, last);
    }

    void assign(std::initializer_list<T> values) { assign(values.begin(), values.end()); }

    void assign(std::size_t count, const T& value) {
        const T kept = value;
        clear();
        resize(count, kept);
    }

    void trace(auto& visit) const { visit(storage_); }

    // Requires: both are in objects of one heap.
    void swap(traced_deque& other) noexcept { storage_.swap(other.storage_); }
    friend void swap(traced_deque& a, traced_deque& b) noexcept { a.swap(b); }

    [[nodiscard]] std::size_t size() const noexcept { return storage_.size(); }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    [[nodiscard]] static constexpr std::size_t max_size() noexcept {
        return detail::traced_sequence<buffer>::max_size();
    }

    [[nodiscard]] iterator begin() noexcept { return {*this, 0}; }
    [[nodiscard]] iterator end() noexcept { return {*this, size()}; }
    [[nodiscard]] const_iterator begin() const noexcept { return {*this, 0}; }
    [[nodiscard]] const_iterator end() const noexcept { return {*this, size()}; }
    [[nodiscard]] const_iterator cbegin() const noexcept { return begin(); }
    [[nodiscard]] const_iterator cend() const noexcept { return end(); }
    [[nodiscard]] reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
    [[nodiscard]] reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
    [[nodiscard]] const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
    [[nodiscard]] const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }
    [[nodiscard]] const_reverse_iterator crbegin() const noexcept { return rbegin(); }
    [[nodiscard]] const_reverse_iterator crend() const noexcept { return rend(); }

    // Requires: i < size().
    [[nodiscard]] T& operator[](std::size_t i) noexcept { return element(i); }
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return element(i); }

    // Throws: std::out_of_range if i >= size().
    [[nodiscard]] T& at(std::size_t i) {
        if (i >= size()) detail::raise<std::out_of_range>("freehold: a traced_deque is indexed beyond its end");
        return element(i);
    }
    [[nodiscard]] const T& at(std::size_t i) const { return const_cast<traced_deque*>(this)->at(i); }

    // Requires: !empty().
    [[nodiscard]] T& front() noexcept { return element(0); }
    [[nodiscard]] const T& front() const noexcept { return element(0); }
    [[nodiscard]] T& back() noexcept { return element(size() - 1); }
    [[nodiscard]] const T& back() const noexcept { return element(size() - 1); }

    void shrink_to_fit() { storage_.shrink_to_fit(); }

    // Effects: removes all elements. The capacity stays.
    void clear() noexcept { storage_.clear(); }

    template <class... Arguments>
    T& emplace_back(Arguments&&... arguments) {
        return storage_.emplace_back(std::forward<Arguments>(arguments)...);
    }

    template <class... Arguments>
    T& emplace_front(Arguments&&... arguments) {
        return storage_.emplace_front(std::forward<Arguments>(arguments)...);
    }

    template <std::convertible_to<T> Value = T>
    void push_back(Value&& value) {
        static_cast<void>(emplace_back(std::forward<Value>(value)));
    }

    template <std::convertible_to<T> Value = T>
    void push_front(Value&& value) {
        static_cast<void>(emplace_front(std::forward<Value>(value)));
    }

    // Requires: !empty().
    void pop_back() noexcept { storage_.truncate(checked(size() - 1)); }

    // Requires: !empty().
    void pop_front() noexcept {
        static_cast<void>(checked(0));
        storage_.buffer()->pop_front();
    }

    void resize(std::size_t count) { storage_.resize(count); }
    void resize(std::size_t count, const T& value) { storage_.resize(count, value); }

    // Effects: inserts T(arguments...) before the position. Returns: its position.
    // Requires: the position is one of this deque. Throws: as emplace_back; if a move throws, as of std::deque.
    template <class... Arguments>
    iterator emplace(const_iterator position, Arguments&&... arguments) {
        const std::size_t i = index_of(position);
        static_cast<void>(emplace_back(std::forward<Arguments>(arguments)...));
        detail::move_last_to(*this, i);
        return {*this, i};
    }

    template <std::convertible_to<T> Value = T>
    iterator insert(const_iterator position, Value&& value) {
        return emplace(position, std::forward<Value>(value));
    }

    iterator insert(const_iterator position, std::size_t count, const T& value) {
        const std::size_t before = size();
        resize(before + count, value);
        return rotate(index_of(position), before);
    }

    // Requires: as emplace; no iterators of this deque.
    template <std::input_iterator Iterator>
    iterator insert(const_iterator position, Iterator first, Iterator last) {
        const std::size_t before = size();
        storage_.append(first, last);
        return rotate(index_of(position), before);
    }

    iterator insert(const_iterator position, std::initializer_list<T> values) {
        return insert(position, values.begin(), values.end());
    }

    // Effects: removes the element, or those of the range. Returns: the position after them.
    iterator erase(const_iterator position) { return erase(position, position + 1); }

    iterator erase(const_iterator first, const_iterator last) {
        const std::size_t i = index_of(first);
        const std::size_t end = index_of(last);
        if (i == 0 && end == 1) {
            pop_front();
        } else if (i != end) {
            detail::move_elements_down(*this, end, i);
            storage_.truncate(size() - (end - i));
        }
        return {*this, i};
    }

    [[nodiscard]] friend bool operator==(const traced_deque& a, const traced_deque& b) {
        return detail::equal_elements(a, b);
    }

    [[nodiscard]] friend auto operator<=>(const traced_deque& a, const traced_deque& b)
        requires std::three_way_comparable<T>
    {
        return detail::compare_elements(a, b);
    }

private:
    friend iterator;
    friend const_iterator;

    [[nodiscard]] T& element(std::size_t i) noexcept { return *std::launder(storage_.buffer()->place(checked(i))); }
    [[nodiscard]] const T& element(std::size_t i) const noexcept {
        return *std::launder(storage_.buffer()->place(checked(i)));
    }

    [[nodiscard]] std::size_t checked(std::size_t i) const noexcept {
        FREEHOLD_EXPECTS(i < size(), "a deque is indexed beyond its end", buffer::name);
        return i;
    }

    [[nodiscard]] std::size_t index_of(const_iterator position) const noexcept {
        FREEHOLD_EXPECTS(position.container() == this && position.index() <= size(),
                         "a position is not one of this deque", buffer::name);
        return position.index();
    }

    // Effects: the elements from `middle` on come before those from `first` on. Returns: the position of `first`.
    iterator rotate(std::size_t first, std::size_t middle) {
        detail::rotate_elements(*this, first, middle);
        return {*this, first};
    }

    detail::traced_sequence<buffer> storage_;
};

}  // namespace freehold
