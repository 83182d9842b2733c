#pragma once
// The control block that houses an array: header and elements in one allocation.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/exceptions.hpp"
#include "control_block.hpp"
#include "object_block.hpp"

namespace freehold::detail {

// Element: the innermost element of a possibly multidimensional array, without cv-qualification.
template <class Counting, class Element, class Allocator, class Construction>
class array_block final : public typed_block<array_block<Counting, Element, Allocator, Construction>, Counting> {
    // Memory is allocated in units that carry the alignment, since any allocator honours that of its value type.
    static constexpr std::size_t alignment = alignof(Element) > alignof(std::max_align_t) ? alignof(Element)
                                                                                          : alignof(std::max_align_t);
    struct unit {
        alignas(alignment) std::byte bytes[alignment];
    };
    using unit_allocator = rebound<Allocator, unit>;
    using traits = std::allocator_traits<unit_allocator>;

public:
    static constexpr bool ends_alone = std::is_trivially_destructible_v<Element>;

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

}  // namespace freehold::detail
