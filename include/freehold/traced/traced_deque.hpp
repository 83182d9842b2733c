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

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <new>
#include <utility>

#include "../core/assert.hpp"
#include "../tracing/traces_concurrently.hpp"
#include "detail/index_iterator.hpp"
#include "detail/sequence_interface.hpp"
#include "detail/traced_buffer.hpp"

namespace freehold::inline v0_2 {

template <class T>
class traced_deque;

template <class T>
inline constexpr bool traces_concurrently<traced_deque<T>> = true;

template <class T>
class traced_deque : public detail::sequence_interface<traced_deque<T>, detail::ring_buffer<T>,
                                                       detail::index_iterator<traced_deque<T>>,
                                                       detail::index_iterator<const traced_deque<T>>> {
    using base = detail::sequence_interface<traced_deque, detail::ring_buffer<T>, detail::index_iterator<traced_deque>,
                                            detail::index_iterator<const traced_deque>>;
    friend base;

public:
    using typename base::const_iterator;
    using typename base::iterator;
    using typename base::value_type;

    traced_deque() noexcept = default;
    explicit traced_deque(std::size_t count) { this->resize(count); }
    traced_deque(std::size_t count, const T& value) { this->resize(count, value); }
    traced_deque(std::initializer_list<T> values) : traced_deque(values.begin(), values.end()) {}

    template <std::input_iterator Iterator>
    traced_deque(Iterator first, Iterator last) {
        this->storage_.append(first, last);
    }

    traced_deque(const traced_deque& other) : traced_deque(other.begin(), other.end()) {}
    traced_deque(traced_deque&& other) noexcept = default;

    traced_deque& operator=(const traced_deque& other) {
        if (this != &other) this->copy(other);
        return *this;
    }

    // Effects: takes the ring. Requires: both are in objects of one heap.
    traced_deque& operator=(traced_deque&& other) noexcept = default;

    traced_deque& operator=(std::initializer_list<T> values) {
        this->assign(values);
        return *this;
    }

    template <class Visitor>
    void trace(Visitor& visit) const {
        visit(this->storage_);
    }

    // Effects: T(arguments...) is the first element from now on. Returns: it.
    template <class... Arguments>
    T& emplace_front(Arguments&&... arguments) {
        return this->storage_.emplace_front(std::forward<Arguments>(arguments)...);
    }

    template <std::convertible_to<T> Value = T>
    void push_front(Value&& value) {
        static_cast<void>(emplace_front(std::forward<Value>(value)));
    }

    // Requires: !empty().
    void pop_front() noexcept {
        static_cast<void>(this->checked(0));
        this->storage_.buffer()->pop_front();
    }

    // What an iterator refers to.
    [[nodiscard]] T& element(std::size_t i) noexcept { return (*this)[i]; }
    [[nodiscard]] const T& element(std::size_t i) const noexcept { return (*this)[i]; }

private:
    [[nodiscard]] T* place(std::size_t i) const noexcept { return std::launder(this->storage_.buffer()->place(i)); }
    [[nodiscard]] iterator position(std::size_t i) noexcept { return {*this, i}; }
    [[nodiscard]] const_iterator position(std::size_t i) const noexcept { return {*this, i}; }
    [[nodiscard]] std::size_t number(const const_iterator& position) const noexcept {
        FREEHOLD_EXPECTS(position.container() == this, "a position is not one of this container",
                         detail::ring_buffer<T>::name);
        return position.number();
    }
};

}  // namespace freehold
