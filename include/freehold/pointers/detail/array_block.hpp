#pragma once
// The control block that houses an array, header and elements in one allocation, and how its elements get their values.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/exceptions.hpp"
#include "access.hpp"
#include "object_block.hpp"

namespace freehold::inline v0_2::detail {

// Element: the innermost element of a possibly multidimensional array, without cv-qualification.
template <class Counting, class Element, class Allocator, class Construction>
class array_block final : public typed_block<array_block<Counting, Element, Allocator, Construction>, Counting> {
    // Memory is allocated in units that carry the alignment, since any allocator respects that of its value type.
    static constexpr std::size_t alignment = alignof(Element) > alignof(std::max_align_t) ? alignof(Element)
                                                                                          : alignof(std::max_align_t);
    struct unit {
        alignas(alignment) std::byte bytes[alignment];
    };
    using unit_allocator = rebound<Allocator, unit>;
    using traits = std::allocator_traits<unit_allocator>;

public:
    static constexpr bool destroys_nothing_else = std::is_trivially_destructible_v<Element>;

    static consteval block_contents contents() {
        return {detail::characters_of("elements "), elements_at(), sizeof(Element), detail::name_of<Element>()};
    }

    // Returns: a block with `count` elements, the i-th constructed by construct(place, i) in ascending order.
    // Throws: std::bad_array_new_length if the size in bytes is not representable, or what the allocation or an
    // element's constructor throws; then the elements constructed so far were destroyed in reverse order.
    template <class Construct>
    [[nodiscard]] static array_block* make(const Allocator& allocator, std::size_t count, Construct construct) {
        constexpr std::size_t most = (SIZE_MAX / 2 - elements_at()) / sizeof(Element);
        if (count > most) raise<std::bad_array_new_length>();
        unit_allocator units(allocator);
        memory_guard memory{units, traits::allocate(units, units_for(count)), units_for(count)};
        array_block* const block =
            ::new (static_cast<void*>(std::to_address(memory.begin))) array_block(allocator, memory.length);
        elements_guard elements{*block};
        for (; block->count_ < count; ++block->count_) construct(block->elements() + block->count_, block->count_);
        elements.owned = false;
        memory.owned = false;
        return block;
    }

    [[nodiscard]] Element* elements() noexcept {
        return reinterpret_cast<Element*>(reinterpret_cast<std::byte*>(this) + elements_at());
    }

    [[nodiscard]] byte_range deleted() noexcept { return detail::bytes_of(elements(), count_); }

    void destroy_object() noexcept {
        while (count_ > 0) Construction::destroy(allocator_, elements() + --count_);
    }

    void deallocate() noexcept {
        unit_allocator units(allocator_);
        const std::size_t length = units_;
        unit* const begin = reinterpret_cast<unit*>(this);
        this->~array_block();
        traits::deallocate(units, std::pointer_traits<typename traits::pointer>::pointer_to(*begin), length);
    }

private:
    struct memory_guard {
        ~memory_guard() {
            if (owned) traits::deallocate(units, begin, length);
        }

        unit_allocator& units;
        typename traits::pointer begin;
        std::size_t length;
        bool owned = true;
    };

    struct elements_guard {
        ~elements_guard() {
            if (!owned) return;
            block.destroy_object();
            block.~array_block();
        }

        array_block& block;
        bool owned = true;
    };

    array_block(const Allocator& allocator, std::size_t units) noexcept : units_(units), allocator_(allocator) {}

    ~array_block() = default;

    static constexpr std::size_t elements_at() noexcept { return round_up(sizeof(array_block), alignof(Element)); }

    static constexpr std::size_t units_for(std::size_t count) noexcept {
        return (elements_at() + count * sizeof(Element) + sizeof(unit) - 1) / sizeof(unit);
    }

    std::size_t units_;      // length of the allocation
    std::size_t count_ = 0;  // elements that are alive
    [[no_unique_address]] Allocator allocator_;
};

// The number of innermost elements of T: 1 unless it is an array.
template <class T>
inline constexpr std::size_t flat_extent = 1;

template <class T, std::size_t N>
inline constexpr std::size_t flat_extent<T[N]> = N * flat_extent<T>;

// Returns: the i-th innermost element of a possibly multidimensional array, or the object itself.
template <class T>
[[nodiscard]] const std::remove_all_extents_t<T>& flat(const T& object, std::size_t i) noexcept {
    if constexpr (std::is_array_v<T>) {
        constexpr std::size_t in_element = flat_extent<std::remove_extent_t<T>>;
        return detail::flat(object[i / in_element], i % in_element);
    } else {
        return object;
    }
}

// Returns: an owner of a new array of `length` elements, each of them a T[]'s or T[N]'s element, constructed from the
// corresponding innermost elements of `initial...`, which is one such element or nothing.
// Throws: std::bad_array_new_length if the size is not representable, or what allocation and construction throw.
template <class T, class Counting, class Construction, class Allocator, class... Initial>
[[nodiscard]] shared_ptr<T, Counting> create_array(const Allocator& allocator, std::size_t length,
                                                   const Initial&... initial) {
    using element = std::remove_extent_t<T>;
    using innermost = std::remove_cv_t<std::remove_all_extents_t<T>>;
    constexpr std::size_t in_element = flat_extent<element>;
    if (length > SIZE_MAX / in_element) raise<std::bad_array_new_length>();

    using block_type = array_block<Counting, innermost, Allocator, Construction>;
    block_type* const block = block_type::make(
        allocator, length * in_element, [&allocator, &initial...]([[maybe_unused]] innermost* place, std::size_t i) {
            Construction::construct(allocator, place, detail::flat(initial, i % in_element)...);
        });
    return access::adopt<T, Counting>(reinterpret_cast<element*>(block->elements()), block);
}

}  // namespace freehold::detail
