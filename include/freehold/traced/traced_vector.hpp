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
//   what allocates may collect. The object that it is in is kept alive meanwhile, and so are arguments that are
//   handles, elements, or ranges of these. A finalizer may then change it
//   its destructor does nothing. Elements that it still has are destroyed by the collection that finds no pointer to
//   its buffer, in any order; those that are erased are destroyed at once
//   traced_vector<bool> holds bools
//
// Thread safety: that of its heap, which belongs to one thread at a time. Exceptions: as of std::vector: what allocates
// throws std::bad_alloc, or std::length_error. push_back, emplace_back and reserve have the strong guarantee, if T can
// be moved without an exception or copied. Complexity: as of std::vector. Cost: a word, and in the heap two words and
// the capacity. Each store of a traced_ptr costs what it costs in an object (traced_ptr.hpp).

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "../tracing/traces_concurrently.hpp"
#include "detail/sequence_interface.hpp"
#include "detail/traced_buffer.hpp"

namespace freehold::inline v0_2 {

template <class T>
class traced_vector;

template <class T>
inline constexpr bool traces_concurrently<traced_vector<T>> = true;

template <class T>
class traced_vector : public detail::sequence_interface<traced_vector<T>, detail::linear_buffer<T>, T*, const T*> {
    using base = detail::sequence_interface<traced_vector, detail::linear_buffer<T>, T*, const T*>;
    friend base;

public:
    traced_vector() noexcept = default;
    explicit traced_vector(std::size_t count) { this->resize(count); }
    traced_vector(std::size_t count, const T& value) { this->resize(count, value); }
    traced_vector(std::initializer_list<T> values) : traced_vector(values.begin(), values.end()) {}

    template <std::input_iterator Iterator>
    traced_vector(Iterator first, Iterator last) {
        this->storage_.append(first, last);
    }

    traced_vector(const traced_vector& other) : traced_vector(other.begin(), other.end()) {}
    traced_vector(traced_vector&& other) noexcept = default;

    traced_vector& operator=(const traced_vector& other) {
        if (this != &other) this->copy(other);
        return *this;
    }

    // Effects: takes the buffer. Requires: both are in objects of one heap.
    traced_vector& operator=(traced_vector&& other) noexcept = default;

    traced_vector& operator=(std::initializer_list<T> values) {
        this->assign(values);
        return *this;
    }

    template <class Visitor>
    void trace(Visitor& visit) const {
        visit(this->storage_);
    }

    [[nodiscard]] T* data() noexcept { return place(0); }
    [[nodiscard]] const T* data() const noexcept { return place(0); }

    [[nodiscard]] std::size_t capacity() const noexcept { return this->storage_.capacity(); }

    // Effects: capacity() >= capacity. May collect. Throws: std::bad_alloc or std::length_error; then nothing has
    // changed.
    void reserve(std::size_t capacity) { this->storage_.reserve(capacity); }

private:
    [[nodiscard]] T* place(std::size_t i) const noexcept {
        return this->storage_.buffer() == nullptr ? nullptr : this->storage_.buffer()->data() + i;
    }
    [[nodiscard]] T* position(std::size_t i) noexcept { return place(i); }
    [[nodiscard]] const T* position(std::size_t i) const noexcept { return place(i); }
    [[nodiscard]] std::size_t number(const T* position) const noexcept {
        return static_cast<std::size_t>(position - data());
    }
};

}  // namespace freehold
