#pragma once
// Finds, without NDEBUG, pointers to freed objects where `trace` does not look: in raw pointers, closures, unions, and
// trivially copyable classes with private members. hidden_pointers.hpp refuses what a type shows; the language does not
// show what these hold.
//
// After a full collection, each word there of an object that lives on must not be the address of a freed object. Only
// then is a hidden pointer wrong: one to an object that something else keeps alive is as good as an untraced one. Young
// collections and those in steps keep some garbage, whose hidden pointers may dangle, as do a conservative stack and
// finalizers; they are not followed by a check.
//
// The inactive member of a std::optional or std::variant is not looked at, but that of a union is, and a pointer that a
// class holds and will not use again. Nothing is looked at under memcheck, to which a word that was never written is an
// error.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <type_traits>
#include <variant>

#include "../../core/assert.hpp"
#include "../../core/config.hpp"
#include "../../core/memcheck.hpp"
#include "../../core/type_name.hpp"
#include "../../tracing/trace.hpp"
#include "chunk_table.hpp"
#include "hidden_parts.hpp"
#include "traced_chunk.hpp"
#include "wide_chunks.hpp"

namespace freehold::inline v0_2::detail {

class hidden_words {
public:
    static constexpr bool gets_members = true;

    // Requires: no run is in use, and all dead objects are destroyed.
    explicit hidden_words(const chunk_table& chunks) noexcept : chunks_(chunks) {}

    // Requires: no word that trace does not see leads to a freed object. Effects: none.
    template <class T>
    void check_object(const T& object) noexcept {
        type_ = type_name<T>;
        begin_ = std::bit_cast<std::uintptr_t>(std::addressof(object));
        bytes_ = sizeof(T);
        name(object);
    }

    template <class T>
    void name(const T& part) noexcept {
        if constexpr (may_hide_words<T>) {
            if constexpr (!std::is_trivially_copyable_v<T>) {
                constexpr structure how = detail::structure_of<T, idle_visitor>();
                if constexpr (how == structure::member_function) {
                    member_visitor<hidden_words> visit(*this);
                    part.trace(visit);
                } else {
                    parts<T, how>::each(part, [this](const auto& each) { this->name(each); });
                }
            } else if constexpr (is_inline_array<T>) {
                for (const auto& each : part) name(each);
            } else if constexpr (template_of<T> == standard_template::optional) {
                if (part) name(*part);
            } else if constexpr (is_instance<std::variant, T>) {
                if (!part.valueless_by_exception()) std::visit([this](const auto& each) { this->name(each); }, part);
            } else {
                check_bytes(part);
            }
        }
    }

private:
    // More is not copied to the stack.
    static constexpr std::size_t max_copied = std::size_t{16} * 1024;

    template <class T>
    void check_bytes(const T& part) noexcept {
        const void* const place = std::addressof(part);
        if constexpr (std::has_unique_object_representations_v<T>) {
            check_words(place, place, sizeof(T));
        } else if constexpr (sizeof(T) <= max_copied) {
#ifdef FREEHOLD_CLEAR_PADDING
            alignas(T) std::byte copy[sizeof(T)];
            std::memcpy(copy, place, sizeof(T));
            FREEHOLD_CLEAR_PADDING(reinterpret_cast<T*>(copy));
            check_words(copy, place, sizeof(T));
#endif
        }
    }

    // Requires: no word that the part at the place has leads to a freed object.
    void check_words(const void* copy, const void* place, std::size_t bytes) noexcept {
        std::uintptr_t before = 0;
        for (std::size_t i = 0; i + sizeof(void*) <= bytes; i += sizeof(void*)) {
            std::uintptr_t word;
            std::memcpy(&word, static_cast<const std::byte*>(copy) + i, sizeof(word));
            check_word(word, before, static_cast<const std::byte*>(place) + i);
            before = word;
        }
    }

    void check_word(std::uintptr_t word, std::uintptr_t before, const void* place) noexcept {
        const freed_cell cell = freed_cell_at(std::bit_cast<const void*>(word));
        if (cell.bytes == 0 || (word == cell.begin && word - before <= cell.bytes)) return;  // or the end of a range
        report(std::bit_cast<std::uintptr_t>(place), cell.type);
        [[maybe_unused]] const bool no_hidden_pointer_leads_to_a_freed_object = false;
        FREEHOLD_EXPECTS(no_hidden_pointer_leads_to_a_freed_object,
                         "an object holds the address of another that a collection freed, where trace(visit) does not "
                         "see it: in a raw pointer, a closure, a union or a trivially copyable class; hold a "
                         "traced_ptr, or an untraced<T> if it is not used any more",
                         type_);
    }

    struct freed_cell {
        std::uintptr_t begin = 0;
        std::size_t bytes = 0;
        const char* type = "of an unknown type";  // what it is for
    };

    // Returns: the cell that the address is in, if it holds no object; otherwise one of no bytes.
    [[nodiscard]] freed_cell freed_cell_at(const void* address) const noexcept {
        const void* const head = wide_chunks::head_of(address);
        traced_chunk* const chunk = chunks_.find(head);
        const auto word = std::bit_cast<std::uintptr_t>(head);
        if (chunk == nullptr || word < std::bit_cast<std::uintptr_t>(chunk->first_object())) return {};
        const traced_block* const block = chunk->opened_block_of(head);
        if (block == nullptr) return {word - word % traced_chunk::block_bytes, traced_chunk::block_bytes};
        if (block->is_large()) return {};
        const std::size_t index = block->index_of(head);
        if (index >= block->cells || block->is_marked(index) || block->was_taken(index)) return {};
        return {std::bit_cast<std::uintptr_t>(block->cell(index)), block->type->cell_bytes, block->type->name};
    }

    void report(std::uintptr_t place, const char* freed) const noexcept {
        if (place - begin_ < bytes_) {
            std::fprintf(stderr, "freehold: at offset %zu", static_cast<std::size_t>(place - begin_));
        } else {
            std::fprintf(stderr, "freehold: in a container");
        }
        std::fprintf(stderr, " of a %s is the address of a freed object (%s)\n", type_, freed);
    }

    const chunk_table& chunks_;
    const char* type_ = "";
    std::uintptr_t begin_ = 0;  // of the object that is being checked
    std::size_t bytes_ = 0;
};

// Effects: clears the memory of an object that will be constructed there: what its constructor leaves out would be
// words of freed objects. The compiler must not take the stores for useless.
inline void clear_before_construction(void* place, std::size_t bytes) noexcept {
    if (is_memcheck()) return;
    std::memset(place, 0, bytes);
    FREEHOLD_PRETEND_ACCESS();
}

}  // namespace freehold::detail
