#pragma once
// The control block that houses its object: one allocation for both, the object 16 bytes behind the beginning.

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "../../core/alignment.hpp"
#include "block_allocation.hpp"
#include "construction.hpp"
#include "control_block.hpp"
#include "typed_block.hpp"

namespace freehold::detail {

// How many bytes behind the beginning of its block an object is.
template <class Counting, class T>
inline constexpr std::size_t object_offset = round_up(sizeof(control_block<Counting>), alignof(std::remove_cv_t<T>));

// Says that the object will be constructed later.
struct without_object {};

template <class Counting, class T, class Allocator, class Construction>
class object_block final : public typed_block<object_block<Counting, T, Allocator, Construction>, Counting> {
    using object_type = std::remove_cv_t<T>;

    static constexpr std::size_t offset = object_offset<Counting, T>;

public:
    static constexpr bool ends_alone = std::is_trivially_destructible_v<object_type>;

    // Throws: what T's constructor throws.
    template <class... Arguments>
    explicit object_block(const Allocator& allocator, Arguments&&... arguments) : allocator_(allocator) {
        FREEHOLD_EXPECTS(!std::is_empty_v<Allocator> || reinterpret_cast<std::byte*>(std::addressof(object_)) ==
                                                            reinterpret_cast<std::byte*>(this) + offset,
                         "the empty allocator and the object do not share their place: please report the compiler");
        Construction::construct(allocator_, std::addressof(object_), std::forward<Arguments>(arguments)...);
    }

    object_block(const Allocator& allocator, without_object) noexcept : allocator_(allocator) {}

    // Effects: constructs the object in place as what make(argument) returns.
    template <class Make, class Argument>
    void construct_from(Make& make, const Argument& argument) {
        ::new (const_cast<void*>(static_cast<const volatile void*>(std::addressof(object_))))
            object_type(make(argument));
    }

    // The object's life is that of its owners, not that of the block.
    ~object_block() {}

    [[nodiscard]] T* object() noexcept { return std::addressof(object_); }

    void destroy_object() noexcept { Construction::destroy(allocator_, std::addressof(object_)); }

    void deallocate() noexcept { block_allocation<object_block, Allocator>::free(this, allocator_); }

private:
    [[no_unique_address]] Allocator allocator_;
    union {
        object_type object_;
    };
};

}  // namespace freehold::detail
