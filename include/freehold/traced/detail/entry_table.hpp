#pragma once
// entry_table: the hash table of a traced_unordered_map. It knows the number of each entry, and the hash of its key, so
// it grows without a call of the user's functions. Linear probing; what is removed leaves no trace, as the numbers
// behind it move up.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>

#include "../../core/alignment.hpp"
#include "../../core/exceptions.hpp"
#include "../../tracing/traces_concurrently.hpp"
#include "../traced_ptr.hpp"
#include "../traced_view.hpp"
#include "array_maker.hpp"
#include "held_arguments.hpp"
#include "traced_buffer.hpp"
#include "traced_collector.hpp"

namespace freehold::inline v0_2 {

namespace detail {

class entry_table {
    struct slot {
        std::uint32_t hash;
        std::uint32_t number;  // of the entry, from 1 on; 0 if the slot is empty
    };
    using slot_list = linear_buffer<slot>;

public:
    entry_table() noexcept = default;
    entry_table(const entry_table&) = delete;
    entry_table(entry_table&& other) noexcept : slots_(other.slots_) { other.slots_ = nullptr; }
    entry_table& operator=(entry_table&& other) noexcept {
        slots_ = other.slots_;
        if (this != &other) other.slots_ = nullptr;
        return *this;
    }

    // Returns: a hash of which all bits matter. Many functions return the key itself.
    [[nodiscard]] static std::uint32_t mix(std::uint64_t hash) noexcept {
        constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
        hash = (hash ^ hash >> 32) * golden;
        return static_cast<std::uint32_t>(hash >> 32);
    }

    void trace(auto& visit) const { visit(slots_); }

    void swap(entry_table& other) noexcept {
        const traced_view<slot_list> own = slots_;
        slots_ = other.slots_;
        other.slots_ = own;
    }

    void clear() noexcept {
        if (slots_) fill(*slots_);
    }

    // Returns: whether there is place for `count` numbers.
    [[nodiscard]] bool has_room(std::size_t count) const noexcept { return count <= room(); }

    // Effects: there is place for `count` numbers. May collect; what the arguments lead to survives.
    // Throws: std::bad_alloc or std::length_error; then nothing has changed.
    template <class Own, class... Arguments>
    void reserve(std::size_t count, Own, const Arguments&... arguments) {
        if (has_room(count)) return;
        if (count > max_count) raise<std::length_error>("freehold: a traced_unordered_map is too long");
        const std::size_t needed = detail::larger(std::bit_ceil(count + count / 3 + 1), std::size_t{8});
        slot_list& larger = make(needed, Own(), arguments...);
        if (has_room(count)) return;  // a finalizer has added entries
        add_all_to(larger);
        slots_ = traced_view<slot_list>(&larger);
    }

    // Returns: the number of the entry with that hash for which is_it(number) holds; `none` if there is none.
    template <class IsIt>
    [[nodiscard]] std::size_t find(std::uint32_t hash, std::size_t none, IsIt is_it) const {
        if (!slots_) return none;
        const slot* const all = slots_->data();
        const std::size_t last = slots_->size() - 1;
        for (std::size_t i = hash & last; all[i].number != 0; i = (i + 1) & last) {
            if (all[i].hash == hash && is_it(all[i].number - 1)) return all[i].number - 1;
        }
        return none;
    }

    // Effects: adds the numbers of the other table. Requires: there is place for them.
    void add_all(const entry_table& other) noexcept {
        if (slots_) other.add_all_to(*slots_);
    }

    // Requires: there is place for it.
    void add(std::uint32_t hash, std::size_t number) noexcept {
        add_to(*slots_, {hash, static_cast<std::uint32_t>(number + 1)});
    }

    // Requires: the table has the number, with that hash.
    void renumber(std::uint32_t hash, std::size_t number, std::size_t other) noexcept {
        slots_->data()[place_of(hash, number)].number = static_cast<std::uint32_t>(other + 1);
    }

    void remove(std::uint32_t hash, std::size_t number) noexcept {
        slot* const all = slots_->data();
        const std::size_t last = slots_->size() - 1;
        std::size_t hole = place_of(hash, number);
        for (std::size_t i = (hole + 1) & last; all[i].number != 0; i = (i + 1) & last) {
            // One that is found from before the hole, or from the hole itself, moves there.
            if (((i - all[i].hash) & last) >= ((i - hole) & last)) {
                all[hole] = all[i];
                hole = i;
            }
        }
        all[hole] = {};
    }

private:
    static constexpr std::size_t max_count = std::size_t{1} << 31;

    // Returns: for how many numbers there is place.
    [[nodiscard]] std::size_t room() const noexcept { return slots_ ? slots_->size() / 4 * 3 : 0; }

    // Returns: an empty table. Effects: may collect; what the arguments lead to survives.
    template <class Own, class... Arguments>
    [[nodiscard]] slot_list& make(std::size_t size, Own, const Arguments&... arguments) {
        traced_mutator& here = traced_collector::mutator_for(this, "freehold::traced_unordered_map");
        const held_arguments<type_list<Arguments...>, Own> held(here.heap.space(), here.held_by_calls, this,
                                                                arguments...);
        slot_list& made = *array_maker<slot_list>::make(here, size, {}, size);
        fill(made);
        return made;
    }

    static void fill(slot_list& table) noexcept {
        for (std::size_t i = 0; i != table.capacity(); ++i) ::new (table.place(i)) slot{};
        table.set_size(table.capacity());
    }

    void add_all_to(slot_list& table) const noexcept {
        if (!slots_) return;
        for (std::size_t i = 0; i != slots_->size(); ++i) {
            if ((*slots_)[i].number != 0) add_to(table, (*slots_)[i]);
        }
    }

    static void add_to(slot_list& table, slot added) noexcept {
        slot* const all = table.data();
        const std::size_t last = table.size() - 1;
        std::size_t i = added.hash & last;
        while (all[i].number != 0) i = (i + 1) & last;
        all[i] = added;
    }

    [[nodiscard]] std::size_t place_of(std::uint32_t hash, std::size_t number) const noexcept {
        const slot* const all = slots_->data();
        const std::size_t last = slots_->size() - 1;
        std::size_t i = hash & last;
        while (all[i].number != number + 1) i = (i + 1) & last;
        return i;
    }

    traced_ptr<slot_list> slots_;
};

}  // namespace detail

template <>
inline constexpr bool traces_concurrently<detail::entry_table> = true;

}  // namespace freehold
