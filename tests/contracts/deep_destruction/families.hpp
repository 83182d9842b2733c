#pragma once
// The owning pointers whose objects are destroyed one inside another to any depth: the counting ones of the other
// suite, and the same with weak pointers.

#include <freehold/counting/biased_counting.hpp>
#include <freehold/counting/plain_counting.hpp>
#include <freehold/pointers/biased_shared_ptr.hpp>
#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>
#include <freehold/pointers/sharded_shared_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include "contracts/owning_pointer/families.hpp"

namespace contracts {

// No object of the chain has a weak pointer.
template <class Family>
struct without_weak : Family {
    template <class T>
    struct back {
        void point_to(const auto&) {}
    };
};

// Each object of a chain has a weak pointer to the one before it.
template <class Family, template <class> class Weak>
struct with_weak : Family {
    template <class T>
    struct back {
        template <class Pointer>
        void point_to(const Pointer& before) {
            weak = typename Weak<T>::owner_type(before);
        }

        typename Weak<T>::type weak;
    };
};

template <class Family, class Counting>
struct self_aware : without_weak<Family> {
    template <class Derived>
    using base = freehold::enable_shared_from_this<Derived, Counting>;
};

template <class T>
struct atomic_weak {
    using type = freehold::weak_ptr<T>;
    using owner_type = freehold::shared_ptr<T>;
};

template <class T>
struct local_weak {
    using type = freehold::local_weak_ptr<T>;
    using owner_type = freehold::local_shared_ptr<T>;
};

template <class T>
struct biased_weak {
    using type = freehold::biased_weak_ptr<T>;
    using owner_type = freehold::biased_shared_ptr<T>;
};

template <class T>
struct sharded_weak {
    using type = freehold::sharded_weak_ptr<T>;
    using owner_type = freehold::sharded_shared_ptr<T>;
};

struct with_weak_shared_ptr : with_weak<shared_ptr_family, atomic_weak> {
    static constexpr const char* name = "with_weak_shared_ptr";
};

struct with_weak_make_shared : with_weak<make_shared_with_threads, atomic_weak> {
    static constexpr const char* name = "with_weak_make_shared";
};

struct with_weak_local_shared_ptr : with_weak<local_shared_ptr_family, local_weak> {
    static constexpr const char* name = "with_weak_local_shared_ptr";
};

struct with_weak_biased_shared_ptr : with_weak<biased_shared_ptr_family, biased_weak> {
    static constexpr const char* name = "with_weak_biased_shared_ptr";
};

struct with_weak_left_biased_shared_ptr : with_weak<left_biased_shared_ptr_family, biased_weak> {
    static constexpr const char* name = "with_weak_left_biased_shared_ptr";
};

struct with_weak_sharded_shared_ptr : with_weak<sharded_shared_ptr_family, sharded_weak> {
    static constexpr const char* name = "with_weak_sharded_shared_ptr";
};

struct with_weak_closed_sharded_shared_ptr : with_weak<closed_sharded_shared_ptr_family, sharded_weak> {
    static constexpr const char* name = "with_weak_closed_sharded_shared_ptr";
};

struct with_weak_thin_ptr : with_weak<thin_ptr_with_threads, atomic_weak> {
    static constexpr const char* name = "with_weak_thin_ptr";
};

struct self_aware_shared_ptr : self_aware<make_shared_with_threads, freehold::atomic_counting> {
    static constexpr const char* name = "self_aware_shared_ptr";
};

struct self_aware_local_shared_ptr : self_aware<local_shared_ptr_family, freehold::plain_counting> {
    static constexpr const char* name = "self_aware_local_shared_ptr";
};

struct self_aware_biased_shared_ptr : self_aware<biased_shared_ptr_family, freehold::biased_counting> {
    static constexpr const char* name = "self_aware_biased_shared_ptr";
};

struct self_aware_sharded_shared_ptr : self_aware<sharded_shared_ptr_family, freehold::sharded_counting> {
    static constexpr const char* name = "self_aware_sharded_shared_ptr";
};

using chained_pointers = testing::Types<
    without_weak<shared_ptr_family>, without_weak<make_shared_with_threads>, without_weak<local_shared_ptr_family>,
    without_weak<biased_shared_ptr_family>, without_weak<left_biased_shared_ptr_family>,
    without_weak<thin_ptr_with_threads>, without_weak<local_thin_ptr_family>, without_weak<cyclic_ptr_family>,
    without_weak<concurrent_cyclic_ptr_family>, without_weak<intrusive_ptr_with_threads>,
    without_weak<plain_intrusive_ptr_family>, with_weak_shared_ptr, with_weak_make_shared, with_weak_local_shared_ptr,
    with_weak_biased_shared_ptr, with_weak_left_biased_shared_ptr, with_weak_thin_ptr, self_aware_shared_ptr,
    self_aware_local_shared_ptr, self_aware_biased_shared_ptr, without_weak<sharded_shared_ptr_family>,
    without_weak<open_sharded_shared_ptr_family>, without_weak<closed_sharded_shared_ptr_family>,
    with_weak_sharded_shared_ptr, with_weak_closed_sharded_shared_ptr, self_aware_sharded_shared_ptr>;

}  // namespace contracts
