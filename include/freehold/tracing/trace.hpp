#pragma once
// trace(object, visit): hands every traced pointer inside an object to a visitor. The protocol that collectors share.
//
// A traced pointer is one that a collector follows, such as cyclic_ptr. Most types need nothing to be looked into:
//   an aggregate of no more than 24 members and without a base     its members are found by reflection
//   std::vector, map and all other containers, std::array, T[N]    each element
//   std::optional, variant, pair, tuple, unique_ptr<T>             what is in it
//   what can be copied by its bytes; strings; owners that count    nothing: a leaf
//     without collecting, such as shared_ptr
// Any other class has a member function that names what it holds, its bases included:
//     void trace(auto& visit) const { base::trace(visit); visit(left, right, children); }
// or is declared a leaf:
//     template <>
//     inline constexpr bool freehold::is_untraced<handle> = true;
//
// What a traced pointer leads to is not looked into: following it is the collector's business, with no recursion. What
// a unique_ptr leads to is, recursively, as its destructor is.
//
// Thread safety: that of reading the object. Exceptions: none, if trace members and iterators throw none.
// Complexity: linear in the parts that may hold a traced pointer; parts whose type can't are not looked at.
// Cost: no allocation.

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <ranges>
#include <stack>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "detail/aggregate_members.hpp"

namespace freehold {

// Whether Pointer is a traced pointer. Specialised by those that are, none of which is trivially copyable.
template <class Pointer>
inline constexpr bool is_traced_pointer = false;

// Whether a traced pointer keeps nothing alive where its own collector does not follow it. One that counts does.
template <class Pointer>
inline constexpr bool needs_its_collector = false;

// Whether a T is a leaf although it does not look like one. To be specialised by users.
template <class T>
inline constexpr bool is_untraced = false;

// Freehold's pointers that count without collecting, and the standard's.
template <class T, class Counting>
class shared_ptr;
template <class T, class Counting>
class weak_ptr;
template <class T, class Counting>
class thin_ptr;
template <class T>
class borrowed_ptr;
template <class T>
class intrusive_ptr;
template <class T>
class linked_ptr;
template <class T>
class managed_ptr;

template <class T, class Counting>
inline constexpr bool is_untraced<shared_ptr<T, Counting>> = true;
template <class T, class Counting>
inline constexpr bool is_untraced<weak_ptr<T, Counting>> = true;
template <class T, class Counting>
inline constexpr bool is_untraced<thin_ptr<T, Counting>> = true;
template <class T>
inline constexpr bool is_untraced<borrowed_ptr<T>> = true;
template <class T>
inline constexpr bool is_untraced<intrusive_ptr<T>> = true;
template <class T>
inline constexpr bool is_untraced<linked_ptr<T>> = true;
template <class T>
inline constexpr bool is_untraced<managed_ptr<T>> = true;
template <class T>
inline constexpr bool is_untraced<std::shared_ptr<T>> = true;
template <class T>
inline constexpr bool is_untraced<std::weak_ptr<T>> = true;
template <class T>
inline constexpr bool is_untraced<std::atomic<T>> = true;

template <class T, class Visitor>
void trace(const T& object, Visitor& visitor);

// What a member function `trace` is given: visit(members...) traces each of them.
template <class Visitor>
class member_visitor {
public:
    explicit member_visitor(Visitor& visitor) noexcept : visitor_(visitor) {}

    template <class... Members>
    void operator()(const Members&... members) {
        (freehold::trace(members, visitor_), ...);
    }

private:
    Visitor& visitor_;
};

namespace detail {

template <class... Types>
struct type_list {};

// Does nothing: for the question whether a type has a `trace`.
struct idle_visitor {
    void operator()(const auto&) {}
};

// Whether a Visitor is handed a Pointer: a traced one, unless the visitor says by `follows<Pointer>` which it wants.
template <class Pointer, class Visitor>
consteval bool is_followed() {
    if constexpr (requires { Visitor::template follows<Pointer>; }) {
        return Visitor::template follows<Pointer>;
    } else {
        return is_traced_pointer<Pointer>;
    }
}

template <class T>
concept traced_by_member = requires(const T& object, member_visitor<idle_visitor>& visit) { object.trace(visit); };

// How the parts of a type are found.
enum class structure { pointer, leaf, member_function, elements, product, pointee, variant, adaptor, members, unknown };

template <template <class...> class Template, class T>
inline constexpr bool is_instance = false;
template <template <class...> class Template, class... Arguments>
inline constexpr bool is_instance<Template, Template<Arguments...>> = true;

template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;

template <class T>
concept owning_range = std::ranges::input_range<const T> && !std::is_same_v<std::ranges::range_value_t<const T>, T>;

template <class T, class Visitor>
consteval structure structure_of() {
    if constexpr (detail::is_followed<T, Visitor>()) {
        static_assert(!std::is_trivially_copyable_v<T>, "freehold: what is trivially copyable is taken for a leaf");
        return structure::pointer;
    } else if constexpr (is_untraced<T> || std::is_trivially_copyable_v<T>) {
        return structure::leaf;
    } else if constexpr (traced_by_member<T>) {
        return structure::member_function;
    } else if constexpr (std::is_bounded_array_v<T> || is_std_array<T>) {
        return structure::elements;
    } else if constexpr (is_instance<std::pair, T> || is_instance<std::tuple, T>) {
        return structure::product;
    } else if constexpr (is_instance<std::optional, T>) {
        return structure::pointee;
    } else if constexpr (is_instance<std::unique_ptr, T>) {
        return std::is_array_v<typename T::element_type> ? structure::unknown : structure::pointee;
    } else if constexpr (is_instance<std::variant, T>) {
        return structure::variant;
    } else if constexpr (is_instance<std::stack, T> || is_instance<std::queue, T> ||
                         is_instance<std::priority_queue, T>) {
        return structure::adaptor;
    } else if constexpr (std::is_empty_v<T>) {
        return structure::leaf;
    } else if constexpr (std::is_aggregate_v<T> && !std::is_union_v<T>) {
        return structure::members;
    } else if constexpr (owning_range<T>) {
        return structure::elements;
    } else {
        return structure::unknown;
    }
}

// The types of a T's parts, and use(part) for each part of an object.
template <class T, structure>
struct parts;

template <class T>
struct parts<T, structure::leaf> {
    using types = type_list<>;
};

template <class T>
struct parts<T, structure::elements> {
    using types = type_list<std::ranges::range_value_t<const T>>;

    template <class Use>
    static void each(const T& object, Use use) {
        for (const auto& element : object) use(element);
    }
};

template <class T, std::size_t N>
struct parts<T[N], structure::elements> {
    using types = type_list<std::remove_cv_t<T>>;

    template <class Use>
    static void each(const T (&object)[N], Use use) {
        for (const T& element : object) use(element);
    }
};

template <template <class...> class Product, class... Types>
struct parts<Product<Types...>, structure::product> {
    using types = type_list<std::remove_cv_t<Types>...>;

    template <class Use>
    static void each(const Product<Types...>& object, Use use) {
        std::apply([&use](const auto&... part) { (use(part), ...); }, object);
    }
};

template <class T>
struct parts<T, structure::pointee> {
    using pointee = std::remove_cvref_t<decltype(*std::declval<const T&>())>;
    using types = type_list<pointee>;

    static_assert(!is_instance<std::unique_ptr, T> || !std::is_polymorphic_v<pointee> || std::is_final_v<pointee> ||
                      traced_by_member<pointee>,
                  "freehold: a unique_ptr to a class that others may derive from needs a member function trace(visit) "
                  "there, or in the class that holds it");

    template <class Use>
    static void each(const T& object, Use use) {
        if (object) use(std::as_const(*object));
    }
};

template <class... Types>
struct parts<std::variant<Types...>, structure::variant> {
    using types = type_list<Types...>;

    template <class Use>
    static void each(const std::variant<Types...>& object, Use use) {
        if (!object.valueless_by_exception()) std::visit([&use](const auto& part) { use(part); }, object);
    }
};

template <class T>
struct parts<T, structure::adaptor> {
    using types = type_list<typename T::container_type>;

    template <class Use>
    static void each(const T& object, Use use) {
        struct opened : T {
            static const auto& container(const T& adaptor) { return adaptor.*&opened::c; }
        };
        use(opened::container(object));
    }
};

template <class T>
struct parts<T, structure::members> {
    static_assert(!has_base<T>, "freehold: an aggregate with a base needs a member function trace(visit)");

    static consteval auto list_types() {
        if constexpr (has_base<T>) {
            return type_list<>();
        } else {
            return decltype(detail::with_members(std::declval<const T&>(), [](const auto&... member) {
                return type_list<std::remove_cvref_t<decltype(member)>...>();
            }))();
        }
    }

    using types = decltype(list_types());

    template <class Use>
    static void each(const T& object, Use use) {
        detail::with_members(object, [&use](const auto&... member) { (use(member), ...); });
    }
};

template <class T>
struct parts<T, structure::unknown> {
    static_assert(!std::is_same_v<T, T>,
                  "freehold: nothing is known of what this type holds; give it a member function trace(visit), or "
                  "specialise freehold::is_untraced for it");
    using types = type_list<>;
};

// Whether T, or one of its parts that does not come through the types Seen again, is of a wanted structure.
template <class Visitor, structure... Wanted, class T, class... Seen>
consteval bool has_part(type_list<T, Seen...>) {
    if constexpr ((std::is_same_v<T, Seen> || ...)) {
        return false;
    } else if constexpr (constexpr structure how = detail::structure_of<T, Visitor>(); ((how == Wanted) || ...)) {
        return true;
    } else if constexpr (how == structure::pointer) {
        return false;
    } else {
        return []<class... Parts>(type_list<Parts...>) {
            return (detail::has_part<Visitor, Wanted...>(type_list<Parts, T, Seen...>()) || ...);
        }(typename parts<T, how>::types());
    }
}

template <class T, class Visitor>
consteval bool leads() {
    return detail::has_part<Visitor, structure::pointer, structure::member_function>(type_list<T>());
}

// Whether a T, which leads to traced pointers, may do so in memory that is not its own: through what it owns, and then
// it has a destructor, or as only its trace(visit) knows.
template <class T>
inline constexpr bool may_lead_outside =
    !std::is_trivially_destructible_v<T> ||
    detail::has_part<idle_visitor, structure::member_function>(type_list<std::remove_cv_t<T>>());

}  // namespace detail

// Whether there may be a traced pointer in a T. Requires: T and all that it holds by value is complete.
template <class T>
inline constexpr bool leads_to_traced = detail::leads<std::remove_cv_t<T>, detail::idle_visitor>();

// Effects: calls visitor(pointer) for every traced pointer in the object, which is const there.
template <class T, class Visitor>
void trace(const T& object, Visitor& visitor) {
    if constexpr (detail::leads<T, Visitor>()) {
        constexpr detail::structure how = detail::structure_of<T, Visitor>();
        if constexpr (how == detail::structure::pointer) {
            visitor(object);
        } else if constexpr (how == detail::structure::member_function) {
            member_visitor<Visitor> visit(visitor);
            object.trace(visit);
        } else {
            detail::parts<T, how>::each(object, [&visitor](const auto& part) { freehold::trace(part, visitor); });
        }
    }
}

}  // namespace freehold
