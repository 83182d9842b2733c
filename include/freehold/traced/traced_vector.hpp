#pragma once
// traced_vector<T>: a vector for objects of a traced heap. Its elements are in the heap, too.
//
//     struct node {
//         int value = 0;
//         freehold::traced_vector<freehold::traced_ptr<node>> children = {};
//     };
//     parent->children.push_back(heap.make<node>(1));
//
// A std::vector in an object works as well, but the collector must look for its buffer outside of the heap, and look
// again at the end of each full collection in steps, as a swap of two buffers is no store of a traced_ptr. With a
// traced_vector there is nothing outside: no free store, no destructor, and each pause is bounded.
//
// It is std::vector but for this:
//   it is one word, and a member of an object of a traced_heap, or an element of another container of these. Outside
//   it may only be read; a traced_root_vector grows anywhere
//   it finds the heap by its own address, so it takes no allocator
//   what allocates may collect. The object that it is in, and all arguments, are kept alive meanwhile
//   its destructor does nothing. Elements that it still has are destroyed by the collection that finds no pointer to
//   its buffer, in any order; those that are erased are destroyed at once
//   traced_vector<bool> holds bools
//
// Thread safety: that of its heap, which belongs to one thread at a time. Exceptions: as of std::vector: what allocates
// throws std::bad_alloc, or std::length_error. push_back, emplace_back and reserve have the strong guarantee, if T can
// be moved without an exception or copied. Complexity: as of std::vector. Cost: a word, and in the heap two words and
// the capacity. Each store of a traced_ptr costs what it costs in an object (traced_ptr.hpp).

#include <compare>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "../core/exceptions.hpp"
#include "../tracing/points_directly.hpp"
#include "detail/element_moves.hpp"
#include "detail/traced_buffer.hpp"
#include "detail/traced_sequence.hpp"

namespace freehold::inline v0_2 {

template <class T>
class traced_vector;

template <class T>
inline constexpr bool points_directly<traced_vector<T>> = true;

template <class T>
class traced_vector {
    using buffer = detail::linear_buffer<T>;

public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using const_reference = const T&;
    using pointer = T*;
    using const_pointer = const T*;
    using iterator = T*;
    using const_iterator = const T*;
    using reverse_iterator = std::reverse_iterator<iterator>;
    using const_reverse_iterator = std::reverse_iterator<const_iterator>;

    traced_vector() noexcept = default;
    explicit traced_vector(std::size_t count) { resize(count); }
    traced_vector(std::size_t count, const T& value) { resize(count, value); }
    traced_vector(std::initializer_list<T> values) : traced_vector(values.begin(), values.end()) {}

    template <std::input_iterator Iterator>
    traced_vector(Iterator first, Iterator last) {
        storage_.append(first, last);
    }

    traced_vector(const traced_vector& other) : traced_vector(other.begin(), other.end()) {}
    traced_vector(traced_vector&& other) noexcept = default;

    traced_vector& operator=(const traced_vector& other) {
        if (this != &other) assign(other.begin(), other.end());
        return *this;
    }

    // Effects: takes the buffer. Requires: both are in objects of one heap.
    traced_vector& operator=(traced_vector&& other) noexcept = default;

    traced_vector& operator=(std::initializer_list<T> values) {
        assign(values.begin(), values.end());
        return *this;
    }

    void assign(std::size_t count, const T& value) {
        const T kept = value;
        storage_.reserve(count, kept);
        clear();
        resize(count, kept);
    }

    // Requires: no iterator of this vector.
    template <std::input_iterator Iterator>
    void assign(Iterator first, Iterator last) {
        clear();
        storage_.append(first, last);
    }

    void assign(std::initializer_list<T> values) { assign(values.begin(), values.end()); }

    void trace(auto& visit) const { visit(storage_); }

    // Requires: both are in objects of one heap.
    void swap(traced_vector& other) noexcept { storage_.swap(other.storage_); }
    friend void swap(traced_vector& a, traced_vector& b) noexcept { a.swap(b); }

    [[nodiscard]] std::size_t size() const noexcept { return storage_.size(); }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    [[nodiscard]] std::size_t capacity() const noexcept { return storage_.capacity(); }
    [[nodiscard]] static constexpr std::size_t max_size() noexcept {
        return detail::traced_sequence<buffer>::max_size();
    }

    [[nodiscard]] T* data() noexcept { return storage_.buffer() == nullptr ? nullptr : storage_.buffer()->data(); }
    [[nodiscard]] const T* data() const noexcept { return const_cast<traced_vector*>(this)->data(); }

    [[nodiscard]] iterator begin() noexcept { return data(); }
    [[nodiscard]] iterator end() noexcept { return data() + size(); }
    [[nodiscard]] const_iterator begin() const noexcept { return data(); }
    [[nodiscard]] const_iterator end() const noexcept { return data() + size(); }
    [[nodiscard]] const_iterator cbegin() const noexcept { return begin(); }
    [[nodiscard]] const_iterator cend() const noexcept { return end(); }
    [[nodiscard]] reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
    [[nodiscard]] reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
    [[nodiscard]] const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
    [[nodiscard]] const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }
    [[nodiscard]] const_reverse_iterator crbegin() const noexcept { return rbegin(); }
    [[nodiscard]] const_reverse_iterator crend() const noexcept { return rend(); }

    // Requires: i < size().
    [[nodiscard]] T& operator[](std::size_t i) noexcept { return data()[checked(i)]; }
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data()[checked(i)]; }

    // Throws: std::out_of_range if i >= size().
    [[nodiscard]] T& at(std::size_t i) {
        if (i >= size()) detail::raise<std::out_of_range>("freehold: a traced_vector is indexed beyond its end");
        return data()[i];
    }
    [[nodiscard]] const T& at(std::size_t i) const { return const_cast<traced_vector*>(this)->at(i); }

    // Requires: !empty().
    [[nodiscard]] T& front() noexcept { return (*this)[0]; }
    [[nodiscard]] const T& front() const noexcept { return (*this)[0]; }
    [[nodiscard]] T& back() noexcept { return (*this)[size() - 1]; }
    [[nodiscard]] const T& back() const noexcept { return (*this)[size() - 1]; }

    void reserve(std::size_t capacity) { storage_.reserve(capacity); }
    void shrink_to_fit() { storage_.shrink_to_fit(); }

    // Effects: removes all elements. The capacity stays.
    void clear() noexcept { storage_.clear(); }

    template <class... Arguments>
    FREEHOLD_ALWAYS_INLINE T& emplace_back(Arguments&&... arguments) {
        return storage_.emplace_back(std::forward<Arguments>(arguments)...);
    }

    // A handle is taken as it is: it needs no traced_ptr on the stack.
    template <std::convertible_to<T> Value = T>
    FREEHOLD_ALWAYS_INLINE void push_back(Value&& value) {
        static_cast<void>(storage_.emplace_back(std::forward<Value>(value)));
    }

    // Requires: !empty().
    void pop_back() noexcept { storage_.truncate(checked(size() - 1)); }

    void resize(std::size_t count) { storage_.resize(count); }
    void resize(std::size_t count, const T& value) { storage_.resize(count, value); }

    // Effects: inserts T(arguments...) before the position. Returns: its position.
    // Requires: the position is one of this vector. Throws: as emplace_back; if a move throws, as of std::vector.
    template <class... Arguments>
    iterator emplace(const_iterator position, Arguments&&... arguments) {
        const std::size_t i = index_of(position);
        static_cast<void>(emplace_back(std::forward<Arguments>(arguments)...));
        detail::move_last_to(*this, i);
        return begin() + i;
    }

    template <std::convertible_to<T> Value = T>
    iterator insert(const_iterator position, Value&& value) {
        return emplace(position, std::forward<Value>(value));
    }

    iterator insert(const_iterator position, std::size_t count, const T& value) {
        const std::size_t i = index_of(position);
        const std::size_t before = size();
        resize(before + count, value);
        return rotate(i, before);
    }

    // Requires: as emplace; no iterators of this vector.
    template <std::input_iterator Iterator>
    iterator insert(const_iterator position, Iterator first, Iterator last) {
        const std::size_t i = index_of(position);
        const std::size_t before = size();
        storage_.append(first, last);
        return rotate(i, before);
    }

    iterator insert(const_iterator position, std::initializer_list<T> values) {
        return insert(position, values.begin(), values.end());
    }

    // Effects: removes the element, or those of the range. Returns: the position after them.
    iterator erase(const_iterator position) { return erase(position, position + 1); }

    iterator erase(const_iterator first, const_iterator last) {
        const std::size_t i = index_of(first);
        const std::size_t count = index_of(last) - i;
        if (count != 0) {
            detail::move_elements_down(*this, i + count, i);
            storage_.truncate(size() - count);
        }
        return begin() + i;
    }

    [[nodiscard]] friend bool operator==(const traced_vector& a, const traced_vector& b) {
        return detail::equal_elements(a, b);
    }

    [[nodiscard]] friend auto operator<=>(const traced_vector& a, const traced_vector& b)
        requires std::three_way_comparable<T>
    {
        return detail::compare_elements(a, b);
    }

private:
    [[nodiscard]] std::size_t checked(std::size_t i) const noexcept {
        FREEHOLD_EXPECTS(i < size(), "a vector is indexed beyond its end", buffer::name);
        return i;
    }

    [[nodiscard]] std::size_t index_of(const_iterator position) const noexcept {
        const auto i = static_cast<std::size_t>(position - data());
        FREEHOLD_EXPECTS(i <= size(), "a position is not one of this vector", buffer::name);
        return i;
    }

    // Effects: the elements from `middle` on come before those from `first` on. Returns: the position of `first`.
    iterator rotate(std::size_t first, std::size_t middle) {
        detail::rotate_elements(*this, first, middle);
        return begin() + first;
    }

    detail::traced_sequence<buffer> storage_;
};

}  // namespace freehold
