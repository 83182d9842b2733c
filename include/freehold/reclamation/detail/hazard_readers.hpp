#pragma once
// hazard_readers: the hazard pointers of a process, and which retired objects none of them protects.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "reader_slots.hpp"
#include "retired_list.hpp"

namespace freehold::detail {

// A set of addresses, at most half full.
class protected_set {
public:
    static constexpr std::size_t capacity = 512;

    constexpr protected_set() noexcept = default;

    [[nodiscard]] bool is_full() const noexcept { return count_ == capacity; }

    // Requires: !is_full().
    void insert(const retired_object* object) noexcept {
        std::size_t i = place(object);
        while (entries_[i] != nullptr) {
            if (entries_[i] == object) return;
            i = (i + 1) % entries_.size();
        }
        entries_[i] = object;
        ++count_;
    }

    [[nodiscard]] bool contains(const retired_object* object) const noexcept {
        std::size_t i = place(object);
        while (entries_[i] != nullptr) {
            if (entries_[i] == object) return true;
            i = (i + 1) % entries_.size();
        }
        return false;
    }

    void clear() noexcept {
        if (count_ == 0) return;
        entries_.fill(nullptr);
        count_ = 0;
    }

private:
    [[nodiscard]] std::size_t place(const retired_object* object) const noexcept {
        const std::uint64_t address = reinterpret_cast<std::uintptr_t>(object);
        return static_cast<std::size_t>((address * 0x9e37'79b9'7f4a'7c15) >> 54);  // ten bits, as many as entries
    }

    std::array<const retired_object*, 2 * capacity> entries_ = {};
    std::size_t count_ = 0;
};

template <class Threading>
class hazard_readers {
public:
    using slots_type = reader_slots<Threading, const retired_object*>;
    using slot = typename slots_type::slot;

    class examination;

    constexpr hazard_readers() noexcept = default;

    // Effects: associates the slot with `object`, or with nothing if that is null.
    static void protect(slot& mine, const retired_object* object) noexcept {
        // release: pairs with the acquire of the examination: what this thread has read in the object that it protected
        // before is read before that is deleted
        mine.value.store(object, std::memory_order_release);
    }

    // Effects: protects `object`, which *ptr is, if `src` still points to it; ptr = the value of `src`.
    // Returns: whether it did.
    template <class T, class Source>
    bool try_protect(slot& mine, const retired_object* object, T*& ptr, const Source& src) noexcept {
        T* const old = ptr;
        protect(mine, object);
        // Either the load sees that the object was unlinked, or the examination after the heavy fence sees the slot.
        fence.light();
        ptr = src.load(std::memory_order_acquire);  // pairs with the release with which the object was published
        if (old == ptr) return true;
        protect(mine, nullptr);
        return false;
    }

    // Effects: the heavy half of the fence.
    void begin_examination(std::uint64_t) noexcept { fence.heavy(); }

    [[no_unique_address]] typename Threading::fence fence;
    slots_type all_slots;
};

// Finds the unprotected objects in steps of bounded work. The hazard pointers are read into a table, and then each
// object is looked up. The table is of fixed size, so that nothing is allocated: if more hazard pointers protect
// something than it can hold, the objects that are not in it are looked up again in a table of the remaining ones.
template <class Threading>
class hazard_readers<Threading>::examination {
public:
    constexpr examination() noexcept = default;

    [[nodiscard]] bool is_done() const noexcept { return objects_.empty() && passed_.empty(); }

    // Effects: begins with `objects`. Requires: is_done(); begin_examination() was called after they were retired and
    // has returned before this call.
    void begin(retired_list&& objects, std::uint64_t) noexcept {
        objects_.append(std::move(objects));
        next_slot_ = 0;
        begin_pass();
    }

    // Effects: does one step: reads up to eight hazard pointers, one more with each 1024 of them; or looks up two
    // objects, one more with each 256. Appends the objects that can be reclaimed to `free`, and the protected ones to
    // `kept`. Returns: true. Requires: !is_done().
    bool step(hazard_readers& readers, retired_list& free, retired_list& kept) noexcept {
        const std::uint32_t readers_made = readers.all_slots.size();
        if (is_reading_) {
            read(readers.all_slots, 8 + readers_made / 1024);
        } else {
            look_up(2 + readers_made / (protected_set::capacity / 2), free, kept);
        }
        return true;
    }

    // Effects: moves the objects that are not decided to `all`, and is done.
    void take_all(retired_list& all) noexcept {
        all.append(std::move(objects_));
        all.append(std::move(passed_));
    }

private:
    void begin_pass() noexcept {
        is_reading_ = true;
        protected_.clear();
    }

    void read(slots_type& asked, std::uint32_t count) noexcept {
        const std::uint32_t end = asked.size();
        for (; count != 0 && next_slot_ != end && !protected_.is_full(); --count, ++next_slot_) {
            // acquire: pairs with the release with which a reader resets its hazard pointer: what it read is read
            // before the object is destroyed
            const retired_object* const seen = asked[next_slot_].value.load(std::memory_order_acquire);
            if (seen != nullptr) protected_.insert(seen);
        }
        is_last_pass_ = next_slot_ == end;
        is_reading_ = !is_last_pass_ && !protected_.is_full();
    }

    void look_up(std::size_t count, retired_list& free, retired_list& kept) noexcept {
        for (; count != 0 && !objects_.empty(); --count) {
            retired_object* const object = objects_.pop();
            (protected_.contains(object) ? kept : is_last_pass_ ? free : passed_).push(object);
        }
        if (objects_.empty() && !passed_.empty()) {
            objects_.append(std::move(passed_));
            begin_pass();
        }
    }

    retired_list objects_;  // to be looked up in this pass
    retired_list passed_;   // unprotected, as far as the passes before the last one know
    std::uint32_t next_slot_ = 0;
    bool is_reading_ = false;
    bool is_last_pass_ = false;
    protected_set protected_;
};

}  // namespace freehold::detail
