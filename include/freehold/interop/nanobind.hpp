#pragma once
// A type caster by which functions that nanobind binds to Python take, return and keep owners.
//
//     NB_MODULE(bank, module) {
//         nanobind::class_<account>(module, "Account").def(nanobind::init<>());
//         module.def("open", [] { return freehold::make_shared<account>(); });
//         module.def("close", [](const freehold::shared_ptr<account>& closed) { archive(closed); });
//     }
//
// To Python an owner goes as std::shared_ptr, by to_std: the Python object is one owner more, until it dies. From
// Python comes an owner of the Python object, which keeps the object in C++. Where the class derives from
// enable_shared_from_this, it shares with the owners that there are. None is an empty owner.
//
// Thread safety: that of the owners. One from Python may be released by a thread that does not hold the GIL.
// Exceptions: none; without memory std::terminate is called, as by nanobind's own casters. Complexity: constant.
// Cost: that of nanobind's caster for std::shared_ptr, and one block from the small-block pool for each crossing.

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "../pointers/shared_ptr.hpp"
#include "../pointers/weak_ptr.hpp"
#include "std_bridge.hpp"

// Behind Freehold's, which say what they need in one line.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

namespace nanobind::detail {

// nanobind's caster for std::shared_ptr takes what this finds for an owner of std's.
template <class T, class Counting>
concept finds_own_owners = requires(T& object) {
    { object.weak_from_this().lock() } -> std::convertible_to<freehold::shared_ptr<const void, Counting>>;
};

template <class T, class Counting>
struct type_caster<freehold::shared_ptr<T, Counting>> {
    static constexpr bool IsClass = true;
    using Owner = freehold::shared_ptr<T, Counting>;
    NB_TYPE_CASTER(Owner, make_caster<T>::Name)

    bool from_python(handle source, auto flags, cleanup_list* cleanup) noexcept {
        if constexpr (finds_own_owners<T, Counting>) {
            make_caster<T> caster;
            if (!caster.from_python(source, flags & ~static_cast<decltype(flags)>(cast_flags::convert), cleanup)) {
                return false;
            }
            if (T* const object = caster.operator std::remove_cv_t<T>*()) {
                const ft_object_guard first_owner_at_a_time(source);
                auto owner = object->weak_from_this().lock();
                value = owner ? Value(std::move(owner), object) : Value(object, py_deleter{source.inc_ref().ptr()});
            }
            return true;
        } else {
            make_caster<std::shared_ptr<T>> standard;
            const bool is_one = standard.from_python(source, flags, cleanup);
            value = freehold::from_std<Counting>(std::move(standard.value));
            return is_one;
        }
    }

    static handle from_cpp(const Value& owner, rv_policy policy, cleanup_list* cleanup) noexcept {
        return make_caster<std::shared_ptr<T>>::from_cpp(freehold::to_std(owner), policy, cleanup);
    }
};

}  // namespace nanobind::detail
