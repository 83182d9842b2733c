#pragma once
// hazard_readers: the hazard pointers of a process, and which retired objects none of them protects.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/asymmetric_fence.hpp"
#include "../../core/protected_set.hpp"
#include "../../core/record_table.hpp"
#include "retired_objects.hpp"

namespace freehold::inline v0_2::detail {

// A hazard pointer, in a cache line of its own. One thread writes the value, and reclaimers read it.
template <class Threading>
struct alignas(64) hazard_slot : table_entry<Threading> {
    typename Threading::template atomic<const retired_object*> value = nullptr;
    hazard_slot* next_kept = nullptr;  // while a thread keeps it for its next use
};

// Threading: core/threading.hpp; Limits: core/record_table.hpp.
template <class Threading, class Limits>
class hazard_readers {
public:
    using slot = hazard_slot<Threading>;
    using table = record_table<Threading, slot, Limits>;

    class scan;

    constexpr hazard_readers() noexcept = default;

    // Effects: associates the slot with `object`, or with nothing if that is null.
    static void protect(slot& mine, const retired_object* object) noexcept {
        // release: pairs with the acquire of the scan: what this thread has read in the object that it protected
        // before is read before that is deleted
        mine.value.store(object, std::memory_order_release);
    }

    // Effects: protects `object`, which *ptr is, if `src` still points to it; ptr = the value of `src`.
    // Returns: whether it did.
    template <class T, class Source>
    bool try_protect(slot& mine, const retired_object* object, T*& ptr, const Source& src) noexcept {
        T* const old = ptr;
        protect(mine, object);
        // Either the load sees that the object was unlinked, or the scan after the heavy fence sees the slot.
        fence.light();
        ptr = src.load(std::memory_order_acquire);  // pairs with the release with which the object was published
        if (old == ptr) return true;
        protect(mine, nullptr);
        return false;
    }

    // Effects: as protect(). Whoever reads the source again after this call and finds `object` there knows that it is
    // protected.
    void protect_before_reading(slot& mine, const retired_object* object) noexcept {
        protect(mine, object);
        fence.light();  // as in try_protect()
    }

    // Effects: the heavy half of the fence.
    void begin_scan(std::uint64_t) noexcept { fence.heavy(); }

    [[no_unique_address]] typename Threading::fence fence;
    table all_slots;
};

// Finds the unprotected objects in steps of bounded work. The hazard pointers are read into a set, and then each object
// is looked up. The set is of fixed size, so that nothing is allocated: if more hazard pointers protect something than
// it can hold, the objects that are not in it are looked up again in a set of the remaining ones.
template <class Threading, class Limits>
class hazard_readers<Threading, Limits>::scan {
public:
    constexpr scan() noexcept = default;

    [[nodiscard]] bool is_done() const noexcept { return objects_.empty() && passed_.empty(); }

    // Effects: begins with `objects`. Requires: is_done(); begin_scan() was called after they were retired and
    // has returned before this call.
    void begin(retired_list&& objects, std::uint64_t) noexcept {
        objects_.append(std::move(objects));
        walk_ = {};
        begin_pass();
    }

    // Effects: does one step: reads up to eight hazard pointers, one more with each 1024 of them; or looks up two
    // objects, one more with each 256. Appends the objects that can be reclaimed to `free`, and the protected ones to
    // `kept`. Returns: true. Requires: !is_done().
    bool step(hazard_readers& readers, retired_list& free, retired_list& kept) noexcept {
        const std::uint32_t readers_made = readers.all_slots.made();
        if (is_reading_) {
            read(readers.all_slots, 8 + readers_made / 1024);
        } else {
            look_up(2 + readers_made / (most_protected / 2), free, kept);
        }
        return true;
    }

    // Effects: none: no step has to wait for a reader.
    static void wait(hazard_readers&) noexcept {}

    // Effects: moves the objects that are not decided to `all`, and is done.
    void take_all(retired_list& all) noexcept {
        all.append(std::move(objects_));
        all.append(std::move(passed_));
    }

private:
    static constexpr std::size_t most_protected = 512;

    [[nodiscard]] static std::uintptr_t word_of(const retired_object* object) noexcept {
        return reinterpret_cast<std::uintptr_t>(object);
    }

    void begin_pass() noexcept {
        is_reading_ = true;
        protected_.clear();
    }

    void read(table& asked, std::uint32_t count) noexcept {
        is_last_pass_ = walk_.advance(asked, count, [this](slot& each) {
            if (protected_.is_full()) return false;
            // acquire: pairs with the release with which a reader resets its hazard pointer: what it read is read
            // before the object is destroyed
            const retired_object* const seen = each.value.load(std::memory_order_acquire);
            if (seen != nullptr) protected_.insert(word_of(seen));
            return true;
        });
        is_reading_ = !is_last_pass_ && !protected_.is_full();
    }

    void look_up(std::size_t count, retired_list& free, retired_list& kept) noexcept {
        for (; count != 0 && !objects_.empty(); --count) {
            retired_object* const object = objects_.pop();
            (protected_.contains(word_of(object)) ? kept : is_last_pass_ ? free : passed_).push(object);
        }
        if (objects_.empty() && !passed_.empty()) {
            objects_.append(std::move(passed_));
            begin_pass();
        }
    }

    retired_list objects_;  // to be looked up in this pass
    retired_list passed_;   // unprotected, as far as the passes before the last one know
    typename table::walk walk_;
    bool is_reading_ = false;
    bool is_last_pass_ = false;
    protected_set<most_protected> protected_;
};

}  // namespace freehold::detail
