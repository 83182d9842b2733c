#pragma once
// The owning pointers whose objects end one in another to any depth: those of the other suite that count, and the
// same with observers.

#include <freehold/counting/biased_counting.hpp>
#include <freehold/counting/plain_counting.hpp>
#include <freehold/pointers/biased_shared_ptr.hpp>
#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include "contracts/owning_pointer/families.hpp"

namespace contracts {

// Nobody observes an object of the chain.
template <class Family>
struct unobserved : Family {
    template <class T>
    struct back {
        void point_to(const auto&) {}
    };
};

// Each object of a chain observes the one before it.
template <class Family, template <class> class Weak>
struct observed : Family {
    template <class T>
    struct back {
        template <class Pointer>
        void point_to(const Pointer& before) {
            observer = typename Weak<T>::owner_type(before);
        }

        typename Weak<T>::type observer;
    };
};

template <class Family, class Counting>
struct self_aware : unobserved<Family> {
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

struct observed_shared_ptr : observed<shared_ptr_family, atomic_weak> {
    static constexpr const char* name = "observed_shared_ptr";
};

struct observed_make_shared : observed<make_shared_with_threads, atomic_weak> {
    static constexpr const char* name = "observed_make_shared";
};

struct observed_local_shared_ptr : observed<local_shared_ptr_family, local_weak> {
    static constexpr const char* name = "observed_local_shared_ptr";
};

struct observed_biased_shared_ptr : observed<biased_shared_ptr_family, biased_weak> {
    static constexpr const char* name = "observed_biased_shared_ptr";
};

struct observed_left_biased_shared_ptr : observed<left_biased_shared_ptr_family, biased_weak> {
    static constexpr const char* name = "observed_left_biased_shared_ptr";
};

struct observed_thin_ptr : observed<thin_ptr_with_threads, atomic_weak> {
    static constexpr const char* name = "observed_thin_ptr";
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

using chained_pointers = testing::Types<
    unobserved<shared_ptr_family>, unobserved<make_shared_with_threads>, unobserved<local_shared_ptr_family>,
    unobserved<biased_shared_ptr_family>, unobserved<left_biased_shared_ptr_family>, unobserved<thin_ptr_with_threads>,
    unobserved<local_thin_ptr_family>, unobserved<cyclic_ptr_family>, unobserved<concurrent_cyclic_ptr_family>,
    unobserved<intrusive_ptr_with_threads>, unobserved<plain_intrusive_ptr_family>, observed_shared_ptr,
    observed_make_shared, observed_local_shared_ptr, observed_biased_shared_ptr, observed_left_biased_shared_ptr,
    observed_thin_ptr, self_aware_shared_ptr, self_aware_local_shared_ptr, self_aware_biased_shared_ptr>;

}  // namespace contracts
