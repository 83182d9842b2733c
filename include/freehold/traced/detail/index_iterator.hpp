#pragma once
// index_iterator: a random-access iterator over a Container that knows its elements by an index: container.element(i).
// It refers to the container, and stays valid as long as that has an element before or at the index.

#include <compare>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include "../../core/config.hpp"

namespace freehold::inline v0_2::detail {

template <class Container>
class index_iterator {
    // operator-> of an iterator whose reference is an object, as a pair of references.
    template <class Reference>
    struct arrow {
        Reference value;
        [[nodiscard]] Reference* operator->() noexcept { return &value; }
    };

public:
    using reference = decltype(std::declval<Container&>().element(std::size_t{}));
    using value_type = typename Container::value_type;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category =
        std::conditional_t<std::is_reference_v<reference>, std::random_access_iterator_tag, std::input_iterator_tag>;
    using pointer = std::conditional_t<std::is_reference_v<reference>, std::add_pointer_t<reference>, arrow<reference>>;

    index_iterator() noexcept = default;
    index_iterator(Container& of, std::size_t index) noexcept : container_(&of), index_(index) {}

    // An iterator becomes a const_iterator.
    template <class Other>
        requires std::is_same_v<const Other, Container>
    index_iterator(const index_iterator<Other>& other) noexcept
        : container_(other.container()), index_(other.number()) {}

    [[nodiscard]] Container* container() const noexcept { return container_; }
    [[nodiscard]] std::size_t number() const noexcept { return index_; }

    [[nodiscard]] reference operator*() const { return container_->element(index_); }
    [[nodiscard]] reference operator[](difference_type distance) const { return *(*this + distance); }

    [[nodiscard]] pointer operator->() const {
        if constexpr (std::is_reference_v<reference>) {
            return &**this;
        } else {
            return {**this};
        }
    }

    index_iterator& operator+=(difference_type distance) noexcept {
        index_ += static_cast<std::size_t>(distance);
        return *this;
    }
    index_iterator& operator-=(difference_type distance) noexcept { return *this += -distance; }
    index_iterator& operator++() noexcept { return *this += 1; }
    index_iterator& operator--() noexcept { return *this += -1; }

    index_iterator operator++(int) noexcept {
        const index_iterator old = *this;
        ++*this;
        return old;
    }
    index_iterator operator--(int) noexcept {
        const index_iterator old = *this;
        --*this;
        return old;
    }

    [[nodiscard]] friend index_iterator operator+(index_iterator a, difference_type distance) noexcept {
        return a += distance;
    }
    [[nodiscard]] friend index_iterator operator+(difference_type distance, index_iterator a) noexcept {
        return a += distance;
    }
    [[nodiscard]] friend index_iterator operator-(index_iterator a, difference_type distance) noexcept {
        return a -= distance;
    }
    [[nodiscard]] friend difference_type operator-(const index_iterator& a, const index_iterator& b) noexcept {
        return static_cast<difference_type>(a.index_ - b.index_);
    }

    [[nodiscard]] friend bool operator==(const index_iterator& a, const index_iterator& b) noexcept {
        return a.index_ == b.index_;
    }
    [[nodiscard]] friend std::strong_ordering operator<=>(const index_iterator& a, const index_iterator& b) noexcept {
        return a.index_ <=> b.index_;
    }

private:
    Container* container_ = nullptr;
    std::size_t index_ = 0;
};

}  // namespace freehold::detail
