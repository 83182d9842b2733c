#pragma once
// parent_watch finds, without NDEBUG, uses of a parent_ptr whose parent is gone: it holds a weak pointer beside each.

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "../../core/config.hpp"
#include "../../core/thread_end.hpp"
#include "cyclic_header.hpp"
#include "cyclic_thread.hpp"
#include "weak_records.hpp"

namespace freehold::detail {

#ifdef NDEBUG

struct parent_watch {
    static void set(const void*, const volatile void*) noexcept {}
    [[nodiscard]] static bool is_gone(const void*) noexcept { return false; }
};

#else

// A chained hash table of the thread, from the address of a parent_ptr to a weak record.
class parent_watch {
public:
    // Effects: the parent_ptr at `link` refers to the object; to none if that is null, or if there is no memory.
    static void set(const void* link, const volatile void* object) noexcept {
        parent_watch& watch = this_watch;
        watch.remove(link);
        if (object == nullptr || this_cyclic_thread.has_exited) return;
        auto* const added = new (std::nothrow) entry{link, {}, nullptr};
        if (added == nullptr) return;
        cyclic_header& header = cyclic_header::of(object);
#if defined(__cpp_exceptions)
        try {
#endif
            added->record =
                this_cyclic_thread.weak_records.of(header, [&header] { header.set(cyclic_header::has_weak); });
#if defined(__cpp_exceptions)
        } catch (const std::bad_alloc&) {
            delete added;
            return;
        }
#endif
        if (watch.count_ >= watch.buckets_) watch.grow();
        watch.link(added);
        ++watch.count_;
    }

    // Returns: whether the parent_ptr at `link` referred to an object that is gone.
    [[nodiscard]] static bool is_gone(const void* link) noexcept {
        parent_watch& watch = this_watch;
        if (watch.buckets_ == 0) return false;
        for (const entry* each = watch.bucket_of(link); each != nullptr; each = each->next) {
            if (each->link == link) return each->record->has_expired();
        }
        return false;
    }

private:
    struct entry {
        const void* link;
        weak_handle<weak_record<one_thread>> record;
        entry* next;
    };

    [[nodiscard]] entry*& bucket_of(const void* link) noexcept {
        const std::uint64_t product = reinterpret_cast<std::uintptr_t>(link) * std::uint64_t{0x9E3779B97F4A7C15};
        return table_[static_cast<std::size_t>(product >> 32) & (buckets_ - 1)];
    }

    void link(entry* added) noexcept { added->next = std::exchange(bucket_of(added->link), added); }

    void remove(const void* link) noexcept {
        if (buckets_ == 0) return;
        for (entry** place = &bucket_of(link); *place != nullptr; place = &(*place)->next) {
            if ((*place)->link != link) continue;
            delete std::exchange(*place, (*place)->next);
            if (--count_ == 0) {
                ::operator delete(std::exchange(table_, nullptr));
                buckets_ = 0;
            }
            return;
        }
    }

    // Without memory the chains grow; without any bucket there must be some.
    void grow() noexcept {
        const std::size_t wanted = buckets_ == 0 ? 64 : 2 * buckets_;
        void* const memory = ::operator new(wanted * sizeof(entry*), std::nothrow);
        if (memory == nullptr) return;
        entry** const before = std::exchange(table_, static_cast<entry**>(memory));
        const std::size_t buckets_before = std::exchange(buckets_, wanted);
        for (std::size_t i = 0; i < wanted; ++i) ::new (static_cast<void*>(table_ + i)) entry*(nullptr);
        for (std::size_t i = 0; i < buckets_before; ++i) {
            for (entry* each = before[i]; each != nullptr;) link(std::exchange(each, each->next));
        }
        ::operator delete(before);
    }

    FREEHOLD_STATIC_TLS static thread_local parent_watch this_watch;

    entry** table_ = nullptr;
    std::size_t buckets_ = 0;
    std::size_t count_ = 0;
};

FREEHOLD_STATIC_TLS inline constinit thread_local parent_watch parent_watch::this_watch{};

#endif

}  // namespace freehold::detail
