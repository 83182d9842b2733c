#pragma once
// parent_watch finds, without NDEBUG, uses of a parent_ptr whose parent is gone: it holds a weak pointer beside each.

#include <new>

#include "../../core/config.hpp"
#include "../../counting/plain_counting.hpp"
#include "../../counting/reference_count.hpp"
#include "cyclic_header.hpp"
#include "cyclic_thread.hpp"
#include "weak_records.hpp"

namespace freehold::inline v0_2::detail {

#ifdef NDEBUG

struct parent_watch {
    static void set(const void*, const volatile void*) noexcept {}
    [[nodiscard]] static bool is_gone(const void*) noexcept { return false; }
};

#else

class parent_watch {
public:
    // Effects: the parent_ptr at `link` refers to the object; to none if that is null, or if there is no memory.
    static void set(const void* link, const volatile void* object) noexcept {
        weak_table<entry>& table = this_watch.table_;
        if (table.find(link)) table.remove(link);
        table.trim();
        if (object == nullptr || this_cyclic_thread.has_exited) return;
        const weak_handle<entry> added(new (std::nothrow) entry{link});
        if (!added) return;
        cyclic_header& header = cyclic_header::of(object);
#if defined(__cpp_exceptions)
        try {
#endif
            added->parent =
                this_cyclic_thread.weak_records.of(header, [&header] { header.set(cyclic_header::has_weak); });
#if defined(__cpp_exceptions)
        } catch (const std::bad_alloc&) {
            return;
        }
#endif
        table.add(*added);
    }

    // Returns: whether the parent_ptr at `link` referred to an object that is gone.
    [[nodiscard]] static bool is_gone(const void* link) noexcept {
        const weak_handle<entry> found = this_watch.table_.find(link);
        return found && found->parent->has_expired();
    }

private:
    struct entry {
        [[nodiscard]] const void* key() const noexcept { return link; }

        const void* link;
        weak_handle<weak_record<one_thread>> parent = {};
        reference_count<plain_counting> owners = {};
        entry* next = nullptr;
    };

    FREEHOLD_STATIC_TLS static thread_local parent_watch this_watch;

    weak_table<entry> table_;
};

FREEHOLD_STATIC_TLS inline constinit thread_local parent_watch parent_watch::this_watch{};

#endif

}  // namespace freehold::detail
