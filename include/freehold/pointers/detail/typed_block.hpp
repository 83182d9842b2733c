#pragma once
// What the kinds of control block have in common: the table of their operations, made from three functions.

#include "control_block.hpp"
#include "pending_blocks.hpp"

namespace freehold::detail {

// Block provides:
//   destroy_object()   destroys the object, or has the deleter do it
//   deallocate()       destroys and frees the block
//   ends_alone         a constant: destroy_object() can't release an owner of another object
// and may hide deleter_of_type(type).
template <class Block, class Counting>
class typed_block : public control_block<Counting> {
    using control = control_block<Counting>;

public:
    // Returns: whether `block` is a Block.
    [[nodiscard]] static bool is(const control* block) noexcept { return block->kind() == &table; }

    // Effects: ends the object of a Block, as the table's entry does.
    static void end_of_kind(control* block) noexcept { end(block); }

    [[nodiscard]] void* deleter_of_type(type_key) noexcept { return nullptr; }

protected:
    constexpr typed_block() noexcept : control(table) {}
    ~typed_block() = default;

private:
    static Block* self(control* block) noexcept { return static_cast<Block*>(block); }

    static void end(control* block) noexcept {
        if constexpr (Block::ends_alone) {
            self(block)->destroy_object();
            self(block)->deallocate();
        } else {
            block_destruction<Counting>::run(block, [](control* ended) {
                self(ended)->destroy_object();
                self(ended)->deallocate();
            });
        }
    }

    static void end_observed(control* block) noexcept {
        if constexpr (Block::ends_alone) {
            self(block)->destroy_object();
            block->release_observer();
        } else {
            block_destruction<Counting>::run(block, [](control* ended) {
                self(ended)->destroy_object();
                ended->release_observer();
            });
        }
    }

    static void deallocate(control* block) noexcept { self(block)->deallocate(); }

    static void* deleter(control* block, type_key type) noexcept { return self(block)->deleter_of_type(type); }

    static constexpr typename control::operations table{end, end_observed, deallocate, deleter};
};

}  // namespace freehold::detail
