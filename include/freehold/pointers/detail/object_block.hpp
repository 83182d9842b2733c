#pragma once
// The control block that houses its object: one allocation for both, the object 16 bytes behind the beginning. Before
// it stands what all kinds of control block share: memory from the user's allocator, and the table of their operations.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/assert.hpp"
#include "../../memory/small_block_allocator.hpp"
#include "block_name.hpp"
#include "control_block.hpp"
#include "destruction_depth.hpp"

namespace freehold::inline v0_2::detail {

template <class Allocator, class T>
using rebound = typename std::allocator_traits<Allocator>::template rebind_alloc<T>;

template <class Allocator>
inline constexpr bool is_small_block_allocator = false;

template <class T>
inline constexpr bool is_small_block_allocator<small_block_allocator<T>> = true;

// As allocate_shared has it: by allocator_traits<A>::construct and destroy of the allocator rebound to the object. What
// they do for the library's own allocator is done directly: four calls less in a build that inlines nothing.
struct through_allocator {
    template <class Allocator, class T, class... Arguments>
    static void construct(const Allocator& allocator, T* place, Arguments&&... arguments) {
        if constexpr (is_small_block_allocator<Allocator>) {
            ::new (static_cast<void*>(place)) T(std::forward<Arguments>(arguments)...);
        } else {
            rebound<Allocator, T> constructor(allocator);
            std::allocator_traits<rebound<Allocator, T>>::construct(constructor, place,
                                                                    std::forward<Arguments>(arguments)...);
        }
    }

    template <class Allocator, class T>
    static void destroy(const Allocator& allocator, T* object) noexcept {
        if constexpr (is_small_block_allocator<Allocator>) {
            object->~T();
        } else {
            rebound<Allocator, T> destroyer(allocator);
            std::allocator_traits<rebound<Allocator, T>>::destroy(destroyer, object);
        }
    }
};

// As allocate_shared_for_overwrite has it: the allocator gives the memory alone.
struct for_overwrite {
    template <class Allocator, class T>
    static void construct(const Allocator&, T* place) {
        ::new (static_cast<void*>(place)) T;
    }

    template <class Allocator, class T>
    static void destroy(const Allocator&, T* object) noexcept {
        object->~T();
    }
};

// Owns the memory of a Block until release(): a constructor that throws leaves nothing behind.
template <class Block, class Allocator>
class block_allocation {
    using allocator_type = rebound<Allocator, Block>;
    using traits = std::allocator_traits<allocator_type>;

public:
    // Throws: what the allocator's allocate throws.
    explicit block_allocation(const Allocator& allocator)
        : allocator_(allocator), memory_(traits::allocate(allocator_, 1)), owned_(true) {}

    // Effects: takes over memory for a Block.
    block_allocation(const Allocator& allocator, Block* memory) noexcept
        : allocator_(allocator),
          memory_(memory != nullptr ? std::pointer_traits<typename traits::pointer>::pointer_to(*memory) : nullptr),
          owned_(memory != nullptr) {}

    block_allocation(const block_allocation&) = delete;
    block_allocation& operator=(const block_allocation&) = delete;

    ~block_allocation() {
        if (owned_) traits::deallocate(allocator_, memory_, 1);
    }

    [[nodiscard]] void* get() const noexcept { return std::to_address(memory_); }

    void release() noexcept { owned_ = false; }

    // Effects: destroys `block` and frees its memory through `allocator`, which may lie inside it.
    static void free(Block* block, const Allocator& allocator) noexcept {
        allocator_type copy(allocator);
        block->~Block();
        traits::deallocate(copy, std::pointer_traits<typename traits::pointer>::pointer_to(*block), 1);
    }

private:
    allocator_type allocator_;
    typename traits::pointer memory_;
    bool owned_;
};

// Returns: a new Block constructed from the allocator and the arguments.
// Throws: what the allocation or the constructor throws; then nothing is left.
template <class Block, class Allocator, class... Arguments>
[[nodiscard]] Block* make_block(const Allocator& allocator, Arguments&&... arguments) {
    block_allocation<Block, Allocator> memory(allocator);
    Block* const block = ::new (memory.get()) Block(allocator, std::forward<Arguments>(arguments)...);
    memory.release();
    return block;
}

// Numbers the tables of operations whose blocks had to wait for their destruction (destruction_depth.hpp), from 0, for
// as long as the process runs: 10 bits name what takes 64. A table keeps its number, and its place if its library is
// unloaded.
template <class Counting>
class numbered_tables {
    using table = const block_operations<Counting>*;

public:
    static constexpr std::size_t most = 1024;

    // Returns: the number of `wanted`, or `most` if too many others have one.
    [[nodiscard]] static std::size_t number_of(table wanted) noexcept {
        const std::size_t first = reinterpret_cast<std::uintptr_t>(wanted) / sizeof(*wanted);
        for (std::size_t i = 0; i < most; ++i) {
            std::atomic<table>& each = all[(first + i) % most];
            // relaxed: only the address is passed on, of a table that the caller has
            table found = each.load(std::memory_order_relaxed);
            if (found == nullptr) each.compare_exchange_strong(found, wanted, std::memory_order_relaxed);
            if (found == nullptr || found == wanted) return (first + i) % most;
        }
        return most;
    }

    // Returns: the table of that number, which the calling thread has got from number_of.
    [[nodiscard]] static table at(std::size_t number) noexcept { return all[number].load(std::memory_order_relaxed); }

private:
    static inline constinit std::atomic<table> all[most] = {};
};

// A list in one thread. A waiting block is expired, and the list is one of its weak pointers; other weak pointers may
// count in its word meanwhile. So only the word of the table can hold the link: 54 bits of an address that is aligned
// to 8 bytes, and the number of the table.
template <class Counting>
class pending_blocks {
    using tables = numbered_tables<Counting>;

public:
    using block = control_block<Counting>;

    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

    // Effects: adds `added`. Returns: whether it could: 1,024 kinds of block can wait.
    // Requires: no owner can reach `added`, and the caller hands over one weak pointer if it is expired.
    [[nodiscard]] bool push(block* added) noexcept {
        const std::size_t table = tables::number_of(added->operations_);
        if (table == tables::most) return false;
        if (!added->count_.is_expired()) added->count_.expire();
        const std::uint64_t first = reinterpret_cast<std::uintptr_t>(first_);
        added->link_ = first / alignof(block) * tables::most + table;
        first_ = added;
        return true;
    }

    // Effects: removes a block and destroys its object. Requires: !empty().
    void destroy_one() noexcept {
        block* const removed = first_;
        const std::uint64_t link = removed->link_;
        first_ = reinterpret_cast<block*>(static_cast<std::uintptr_t>(link / tables::most * alignof(block)));
        removed->operations_ = tables::at(static_cast<std::size_t>(link % tables::most));
        removed->operations_->destroy_keeping_block(removed);
    }

private:
    static_assert(alignof(block) == 8);

    block* first_ = nullptr;
};

template <class Counting>
using block_destruction = destruction_depth<pending_blocks<Counting>>;

struct byte_range {
    std::byte* begin = nullptr;
    std::byte* end = nullptr;
};

// Returns: the bytes of `count` objects; none for a null pointer.
template <class T>
[[nodiscard]] byte_range bytes_of(T* first, std::size_t count = 1) noexcept {
    auto* const begin = reinterpret_cast<std::byte*>(const_cast<std::remove_cv_t<T>*>(first));
    return {begin, begin != nullptr ? begin + count * sizeof(T) : nullptr};
}

// Block provides:
//   destroy_object()       destroys the object, or has the deleter do it
//   deallocate()           destroys and frees the block
//   destroys_nothing_else  a constant: destroy_object() can't release an owner of another object
//   contents()             for its name (block_name.hpp)
// and may hide deleter_of_type(type) and deleted(), the bytes of the object that it destroys or deletes.
template <class Block, class Counting>
class typed_block : public control_block<Counting> {
    using control = control_block<Counting>;

public:
    // Returns: whether `block` is a Block.
    [[nodiscard]] static bool is(const control* block) noexcept { return block->kind() == &table; }

    // Effects: destroys the object of a Block, as the table's entry does.
    static void destroy_as(control* block) noexcept { destroy(block); }

    [[nodiscard]] void* deleter_of_type(type_key) noexcept { return nullptr; }
    [[nodiscard]] byte_range deleted() noexcept { return {}; }

protected:
    constexpr typed_block() noexcept : control(table) {}
    ~typed_block() = default;

private:
    static Block* self(control* block) noexcept { return static_cast<Block*>(block); }

    static void destroy(control* block) noexcept {
        if constexpr (Block::destroys_nothing_else) {
            self(block)->destroy_object();
            self(block)->deallocate();
        } else {
            block_destruction<Counting>::run(block, [](control* expired) {
                self(expired)->destroy_object();
                self(expired)->deallocate();
            });
        }
    }

    static void destroy_keeping_block(control* block) noexcept {
        if constexpr (Block::destroys_nothing_else) {
            self(block)->destroy_object();
            block->release_weak();
        } else {
            block_destruction<Counting>::run(block, [](control* expired) {
                self(expired)->destroy_object();
                expired->release_weak();
            });
        }
    }

    static void deallocate(control* block) noexcept { self(block)->deallocate(); }

    static void* deleter(control* block, type_key type) noexcept {
#ifndef NDEBUG
        if (type == type_key::of<begin_of_deleted>()) return self(block)->deleted().begin;
        if (type == type_key::of<end_of_deleted>()) return self(block)->deleted().end;
#endif
        return self(block)->deleter_of_type(type);
    }

    static constexpr typename control::operations table{
        destroy, destroy_keeping_block, deallocate, deleter, sizeof(Block), detail::name_of_block<Block, Counting>()};
};

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
    static constexpr bool destroys_nothing_else = std::is_trivially_destructible_v<object_type>;

    static consteval block_contents contents() {
        return {detail::characters_of("object "), offset, sizeof(object_type), detail::name_of<object_type>()};
    }

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
    [[nodiscard]] byte_range deleted() noexcept { return detail::bytes_of(object()); }

    void destroy_object() noexcept { Construction::destroy(allocator_, std::addressof(object_)); }

    void deallocate() noexcept { block_allocation<object_block, Allocator>::free(this, allocator_); }

private:
    [[no_unique_address]] Allocator allocator_;
    union {
        object_type object_;
    };
};

}  // namespace freehold::detail
