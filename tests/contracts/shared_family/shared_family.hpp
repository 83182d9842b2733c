#pragma once
// What shared_ptr, local_shared_ptr, biased_shared_ptr and sharded_shared_ptr have in common, and the fixture of the
// suite that all pass.

#include <gtest/gtest.h>
#include <freehold/counting/atomic_counting.hpp>
#include <freehold/counting/biased_counting.hpp>
#include <freehold/counting/plain_counting.hpp>
#include <freehold/counting/sharded_counting.hpp>
#include <freehold/pointers/biased_shared_ptr.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/sharded_shared_ptr.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "support/contract.hpp"
#include "support/ledger_allocator.hpp"
#include "support/thread_state.hpp"
#include "support/tracked.hpp"

// Tests write the lengths of arrays as plain numbers, which are forwarded as int.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

namespace contracts {

// Counts atomically: the process has had a second thread.
struct shared {
    static constexpr const char* name = "shared_ptr";

    using counting = freehold::atomic_counting;

    template <class T>
    using pointer = freehold::shared_ptr<T>;

    template <class T>
    using weak = freehold::weak_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_shared<T>(std::forward<Arguments>(arguments)...);
    }

    template <class T, class Allocator, class... Arguments>
    static pointer<T> allocate(const Allocator& allocator, Arguments&&... arguments) {
        return freehold::allocate_shared<T>(allocator, std::forward<Arguments>(arguments)...);
    }

    template <class T>
    static pointer<T> make_for_overwrite(auto... length) {
        return freehold::make_shared_for_overwrite<T>(length...);
    }

    template <class T, class Allocator>
    static pointer<T> allocate_for_overwrite(const Allocator& allocator, auto... length) {
        return freehold::allocate_shared_for_overwrite<T>(allocator, length...);
    }

    static void begin() { support::start_first_thread(); }
};

struct local_shared {
    static constexpr const char* name = "local_shared_ptr";

    using counting = freehold::plain_counting;

    template <class T>
    using pointer = freehold::local_shared_ptr<T>;

    template <class T>
    using weak = freehold::local_weak_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_local_shared<T>(std::forward<Arguments>(arguments)...);
    }

    template <class T, class Allocator, class... Arguments>
    static pointer<T> allocate(const Allocator& allocator, Arguments&&... arguments) {
        return freehold::allocate_local_shared<T>(allocator, std::forward<Arguments>(arguments)...);
    }

    template <class T>
    static pointer<T> make_for_overwrite(auto... length) {
        return freehold::make_local_shared_for_overwrite<T>(length...);
    }

    template <class T, class Allocator>
    static pointer<T> allocate_for_overwrite(const Allocator& allocator, auto... length) {
        return freehold::allocate_local_shared_for_overwrite<T>(allocator, length...);
    }

    static void begin() {}
};

struct biased_shared {
    static constexpr const char* name = "biased_shared_ptr";

    using counting = freehold::biased_counting;

    template <class T>
    using pointer = freehold::biased_shared_ptr<T>;

    template <class T>
    using weak = freehold::biased_weak_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_biased_shared<T>(std::forward<Arguments>(arguments)...);
    }

    template <class T, class Allocator, class... Arguments>
    static pointer<T> allocate(const Allocator& allocator, Arguments&&... arguments) {
        return freehold::allocate_biased_shared<T>(allocator, std::forward<Arguments>(arguments)...);
    }

    template <class T>
    static pointer<T> make_for_overwrite(auto... length) {
        return freehold::make_biased_shared_for_overwrite<T>(length...);
    }

    template <class T, class Allocator>
    static pointer<T> allocate_for_overwrite(const Allocator& allocator, auto... length) {
        return freehold::allocate_biased_shared_for_overwrite<T>(allocator, length...);
    }

    static void begin() { support::start_first_thread(); }
};

// Objects of the calling thread are biased toward a thread that has exited: it counts as any other thread does.
struct left_biased_shared : biased_shared {
    static constexpr const char* name = "left_biased_shared_ptr";

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        auto made = biased_shared::make<T>(std::forward<Arguments>(arguments)...);
        freehold::leave_biased_counts();
        return made;
    }

    template <class T, class Allocator, class... Arguments>
    static pointer<T> allocate(const Allocator& allocator, Arguments&&... arguments) {
        auto made = biased_shared::allocate<T>(allocator, std::forward<Arguments>(arguments)...);
        freehold::leave_biased_counts();
        return made;
    }
};

struct sharded_shared {
    static constexpr const char* name = "sharded_shared_ptr";

    using counting = freehold::sharded_counting;

    template <class T>
    using pointer = freehold::sharded_shared_ptr<T>;

    template <class T>
    using weak = freehold::sharded_weak_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_sharded_shared<T>(std::forward<Arguments>(arguments)...);
    }

    template <class T, class Allocator, class... Arguments>
    static pointer<T> allocate(const Allocator& allocator, Arguments&&... arguments) {
        return freehold::allocate_sharded_shared<T>(allocator, std::forward<Arguments>(arguments)...);
    }

    template <class T>
    static pointer<T> make_for_overwrite(auto... length) {
        return freehold::make_sharded_shared_for_overwrite<T>(length...);
    }

    template <class T, class Allocator>
    static pointer<T> allocate_for_overwrite(const Allocator& allocator, auto... length) {
        return freehold::allocate_sharded_shared_for_overwrite<T>(allocator, length...);
    }

    static void begin() { support::start_first_thread(); }
};

// The shards are open from the beginning: copies are counted apart.
struct open_sharded_shared : sharded_shared {
    static constexpr const char* name = "open_sharded_shared_ptr";

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        auto made = sharded_shared::make<T>(std::forward<Arguments>(arguments)...);
        if (made) {
            EXPECT_TRUE(freehold::open_shards(made));
        }
        return made;
    }

    template <class T, class Allocator, class... Arguments>
    static pointer<T> allocate(const Allocator& allocator, Arguments&&... arguments) {
        auto made = sharded_shared::allocate<T>(allocator, std::forward<Arguments>(arguments)...);
        if (made) {
            EXPECT_TRUE(freehold::open_shards(made));
        }
        return made;
    }
};

// The only owner is a copy: the shards were closed when the last anchor was released.
struct closed_sharded_shared : open_sharded_shared {
    static constexpr const char* name = "closed_sharded_shared_ptr";

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        const auto made = open_sharded_shared::make<T>(std::forward<Arguments>(arguments)...);
        return pointer<T>(made);
    }

    template <class T, class Allocator, class... Arguments>
    static pointer<T> allocate(const Allocator& allocator, Arguments&&... arguments) {
        const auto made = open_sharded_shared::allocate<T>(allocator, std::forward<Arguments>(arguments)...);
        return pointer<T>(made);
    }
};

using shared_families = testing::Types<shared, local_shared, biased_shared, left_biased_shared, sharded_shared,
                                       open_sharded_shared, closed_sharded_shared>;

struct object : support::tracked {
    explicit object(int initial = 0) : value(initial) {}

    int value;
};

struct alignas(256) over_aligned : support::tracked {
    char bytes[40] = {};
};

inline bool is_aligned(const void* address, std::size_t alignment) {
    return reinterpret_cast<std::uintptr_t>(address) % alignment == 0;
}

template <class Family>
class shared_family : public support::tracked_test {
protected:
    template <class T>
    using pointer = typename Family::template pointer<T>;

    template <class T>
    using weak_pointer = typename Family::template weak<T>;

    using counting = typename Family::counting;

    // Not in SetUp(): a test's own fixture makes objects as members.
    shared_family() { Family::begin(); }

    template <class T = object, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return Family::template make<T>(std::forward<Arguments>(arguments)...);
    }

    template <class T = object, class Allocator, class... Arguments>
    static pointer<T> allocate(const Allocator& allocator, Arguments&&... arguments) {
        return Family::template allocate<T>(allocator, std::forward<Arguments>(arguments)...);
    }

    template <class T = object>
    static pointer<T> make_for_overwrite(auto... length) {
        return Family::template make_for_overwrite<T>(length...);
    }

    template <class T = object, class Allocator>
    static pointer<T> allocate_for_overwrite(const Allocator& allocator, auto... length) {
        return Family::template allocate_for_overwrite<T>(allocator, length...);
    }

    // Returns: the first owner of `object`, constructed from the arguments.
    template <class T, class... Arguments>
    static pointer<T> own(T* object, Arguments&&... arguments) {
        return pointer<T>(object, std::forward<Arguments>(arguments)...);
    }

    template <class Pointer>
    static typename Pointer::weak_type weak_to(const Pointer& owner) {
        return owner;
    }

    template <class Owner, class T>
    static pointer<T> alias(Owner&& owner, T* target) {
        return pointer<T>(std::forward<Owner>(owner), target);
    }

    static support::ledger_allocator<object> recording(support::ledger& ledger) {
        return support::ledger_allocator<object>(ledger);
    }

    static int alive() { return support::tracked::alive(); }
    static int destroyed() { return support::tracked::destroyed(); }
};

}  // namespace contracts

#pragma GCC diagnostic pop

template <>
struct support::implementations<contracts::shared_family> {
    using types = contracts::shared_families;
};
