#pragma once
// trace(object, visit): passes every traced pointer inside an object to a visitor. All collectors share this protocol.
//
// A traced pointer is one that a collector follows, such as cyclic_ptr. Most types need no help from their author:
//   an aggregate with at most 24 members, or 128 with              its members, found by reflection
//     large_aggregates.hpp, and no base but empty ones
//   a container that is written as the standard's are; T[N];       each element, also where an iterator returns a
//     std::stack, queue, priority_queue                              pair or tuple of references
//   std::optional, variant, pair, tuple, unique_ptr<T>             its content
//   trivially copyable types; strings, paths, mutexes; pointers    nothing: a leaf
//     that count but do not collect, such as shared_ptr
// Any other class has a member function that names its members and bases:
//     void trace(auto& visit) const { base::trace(visit); visit(left, right, children); }
// or is declared a leaf:
//     template <>
//     inline constexpr bool freehold::is_untraced<handle> = true;
//
// trace() does not follow a traced pointer: the collector does that, without recursion. It does follow a unique_ptr,
// recursively, as its destructor does.
//
// Thread safety: that of reading the object. Exceptions: none, unless a trace member or an iterator throws.
// Complexity: linear in the parts that may hold a traced pointer; the types of all other parts rule them out at compile
// time. Cost: no allocation.

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "detail/aggregate_members.hpp"
#include "detail/declaring_class.hpp"
#include "detail/leaf_pointer.hpp"
#include "detail/range_elements.hpp"
#include "detail/standard_template.hpp"
#include "detail/structure.hpp"

namespace freehold::inline v0_2 {

// Whether Pointer is a traced pointer. Collectors specialize it. A traced pointer is never trivially copyable.
template <class Pointer>
inline constexpr bool is_traced_pointer = false;

// Whether a traced pointer keeps nothing alive in an object of another collector. One that counts does.
template <class Pointer>
inline constexpr bool needs_its_collector = false;

// Whether a T is declared to be a leaf, whatever it holds. Users may specialize it.
template <class T>
inline constexpr bool is_untraced = false;

// Whether a T with begin() and end() is a container of its own elements, which are all that it holds. The standard's
// are, and those that are written as the standard's (detail::container_of_elements). Users may specialize it for
// others.
template <class T>
inline constexpr bool is_traced_range = detail::is_standard<T>;

template <class T, class Visitor>
void trace(const T& object, Visitor& visitor);

// The argument of a member function `trace`: visit(members...) traces each of them, or gives it to
// visitor.name(member).
template <class Visitor>
class member_visitor {
public:
    explicit member_visitor(Visitor& visitor) noexcept : visitor_(visitor) {}

    template <class... Members>
    void operator()(const Members&... members) {
        if constexpr (requires { Visitor::template accepts<int>; }) {
            static_assert((Visitor::template accepts<Members> && ...));
        }
        if constexpr (requires { Visitor::gets_members; }) {
            (visitor_.name(members), ...);
        } else {
            (freehold::trace(members, visitor_), ...);
        }
    }

private:
    Visitor& visitor_;
};

namespace detail {

// Does nothing. It serves to ask whether a type has a `trace`.
struct idle_visitor {
    void operator()(const auto&) {}
};

// Whether a Visitor gets a Pointer: its `follows<Pointer>` decides; without one, it gets the traced pointers.
template <class Pointer, class Visitor>
inline constexpr bool is_followed = is_traced_pointer<Pointer>;
template <class Pointer, class Visitor>
    requires requires { Visitor::template follows<Pointer>; }
inline constexpr bool is_followed<Pointer, Visitor> = Visitor::template follows<Pointer>;

template <class T>
concept traced_by_member = requires(const T& object, member_visitor<idle_visitor>& visit) { object.trace(visit); };

template <class T>
consteval structure structure_of_aggregate() {
    switch (detail::flaw_of_aggregate<T>()) {
        case aggregate_flaw::none: return structure::members;
        case aggregate_flaw::base: return structure::base;
        case aggregate_flaw::uncountable: return structure::uncountable;
        case aggregate_flaw::long_array: return structure::long_array;
        case aggregate_flaw::too_many_members: break;
    }
    return structure::too_many_members;
}

// The objects that the unique_ptr may own have the members of a T, or have a trace.
template <class T>
concept exact_pointee = !std::is_polymorphic_v<T> || std::is_final_v<T> || traced_by_member<T>;

template <class Pointer>
consteval structure structure_of_unique() {
    if constexpr (!requires(const Pointer& pointer) { *pointer; }) {
        return structure::unknown;  // an array, which has no length
    } else {
        return exact_pointee<typename Pointer::element_type> ? structure::pointee : structure::base_pointee;
    }
}

// Of a class whose members can't be found.
template <class T>
consteval structure structure_of_closed() {
    if constexpr (!range_of_elements<T>) {
        return holds_nothing_foreign<T> ? structure::leaf : structure::unknown;
    } else if constexpr (is_traced_range<T>) {
        return structure::elements;
    } else if constexpr (!container_of_elements<T>) {
        return structure::unknown_range;
    } else {
        return detail::derives_from_container<T>() ? structure::derived_range : structure::elements;
    }
}

template <class T, class Visitor>
consteval structure structure_of() {
    if constexpr (is_followed<T, Visitor>) {
        static_assert(!std::is_trivially_copyable_v<T>, "freehold: a trivially copyable pointer would be a leaf");
        return structure::pointer;
    } else if constexpr (is_untraced<T> || is_leaf_pointer<T> || std::is_trivially_copyable_v<T>) {
        return structure::leaf;
    } else if constexpr (is_instance<traced_local, T>) {
        return structure::variable;
    } else if constexpr (traced_by_member<T>) {
        using declarer = typename decltype(detail::declarer_of_trace<T, member_visitor<idle_visitor>>())::type;
        constexpr bool is_missed = adds_members<T, declarer> && !knows_derived<T, declarer>;
        return is_missed ? structure::inherited_trace : structure::member_function;
    } else if constexpr (requires(T& object, member_visitor<idle_visitor>& visit) { object.trace(visit); }) {
        return structure::mutable_trace;
    } else if constexpr (std::is_bounded_array_v<T> || is_std_array<T>) {
        return structure::elements;
    } else if constexpr (is_instance<std::pair, T> || is_instance<std::tuple, T>) {
        return structure::product;
    } else if constexpr (template_of<T> == standard_template::optional) {
        return structure::pointee;
    } else if constexpr (template_of<T> == standard_template::unique_ptr) {
        return detail::structure_of_unique<T>();
    } else if constexpr (is_instance<std::variant, T>) {
        return structure::variant;
    } else if constexpr (template_of<T> == standard_template::adaptor) {
        return structure::adaptor;
    } else if constexpr (std::is_empty_v<T>) {
        return structure::leaf;
    } else if constexpr (std::is_aggregate_v<T> && !std::is_union_v<T>) {
        return detail::structure_of_aggregate<T>();
    } else if constexpr (detail::names_trace<T>() && !requires { &T::trace; }) {
        return structure::private_trace;
    } else {
        return detail::structure_of_closed<T>();
    }
}

// The types of a T's parts, and use(part) for each part of an object. A leaf has none, and what has unknown ones does
// not compile: once, as the first static_assert that fails leaves the types, which are none.
template <class T, structure How>
struct parts : expect_parts<T, How> {
    using types = type_list<>;
};

template <class T>
struct parts<T, structure::elements> {
    using types = type_list<element_of<T>>;

    template <class Use>
    static void each(const T& object, Use use) {
        using reference = element_reference<T>;
        static_assert(
            refers_to_element<reference>,
            "freehold: the iterators of this container do not refer to what it holds; give the class that has "
            "it a member function trace(visit) that names its parts, as in visit(map.keys(), map.values())");
        for (const auto& element : object) detail::use_element<reference>(element, use);
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

template <class T, class Pointee>
type_list<Pointee> pointee_and_deleter(const T&);
template <class T, class Pointee>
    requires requires { typename T::deleter_type; }
type_list<Pointee, std::remove_cvref_t<typename T::deleter_type>> pointee_and_deleter(const T&);

template <class T>
struct parts<T, structure::pointee> {
    using pointee = std::remove_cvref_t<decltype(*std::declval<const T&>())>;
    using types = decltype(detail::pointee_and_deleter<T, pointee>(std::declval<const T&>()));

    template <class Use>
    static void each(const T& object, Use use) {
        if (object) use(std::as_const(*object));
        if constexpr (requires { object.get_deleter(); }) use(object.get_deleter());
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
    using types = member_types<T>;

    template <class Use>
    static void each(const T& object, Use use) {
        detail::each_member(object, use);
    }
};

// What is found among a T and its parts. `unclear`: the parts of one of them can't be found.
enum class finding { nothing, wanted, unclear };

// Returns: whether T or one of its parts has a wanted structure. The types Seen are being asked already: a tree holds
// trees.
template <class Visitor, structure... Wanted, class T, class... Seen>
consteval finding find_part(type_list<T, Seen...>) {
    if constexpr ((std::is_same_v<T, Seen> || ...)) {
        return finding::nothing;
    } else if constexpr (constexpr structure how = detail::structure_of<T, Visitor>(); ((how == Wanted) || ...)) {
        return finding::wanted;
    } else if constexpr (how == structure::pointer) {
        return finding::nothing;
    } else if constexpr (how > structure::members) {
        return finding::unclear;
    } else {
        return []<class... Parts>(type_list<Parts...>) {
            finding all = finding::nothing;
            for (const finding each : {all, detail::find_part<Visitor, Wanted...>(type_list<Parts, T, Seen...>())...}) {
                if (each > all) all = each;
            }
            return all;
        }(typename parts<T, how>::types());
    }
}

template <class Visitor, class... Types>
consteval finding find_pointer(type_list<Types...>) {
    return detail::find_part<Visitor, structure::pointer, structure::member_function>(type_list<Types...>());
}

template <class Visitor, class T, class... Seen>
consteval auto find_unclear(type_list<T, Seen...>);

template <class Visitor, class... Seen, class Part, class... Rest>
consteval auto find_first_unclear(type_list<Seen...> seen, type_list<Part, Rest...>) {
    if constexpr (detail::find_pointer<Visitor>(type_list<Part, Seen...>()) == finding::unclear) {
        return detail::find_unclear<Visitor>(type_list<Part, Seen...>());
    } else {
        return detail::find_first_unclear<Visitor>(seen, type_list<Rest...>());
    }
}

// Returns: the identity of the parts that can't be found, of the first such type among T and its parts.
template <class Visitor, class T, class... Seen>
consteval auto find_unclear(type_list<T, Seen...> seen) {
    constexpr structure how = detail::structure_of<T, Visitor>();
    if constexpr (how > structure::members) {
        return std::type_identity<parts<T, how>>();
    } else {
        return detail::find_first_unclear<Visitor>(seen, typename parts<T, how>::types());
    }
}

template <class Visitor, class T>
consteval auto find_any_unclear(type_list<T>) {
    if constexpr (detail::find_pointer<Visitor>(type_list<T>()) == finding::unclear) {
        return detail::find_unclear<Visitor>(type_list<T>());
    } else {
        return std::type_identity<type_list<>>();
    }
}

// A class that does not compile if the parts of T, or of one of its parts, can't be found. A function that makes
// objects completes it first, so that the compiler says why beside the user's call, and not within ten templates.
template <class T, class Visitor = idle_visitor>
using clear = typename decltype(detail::find_any_unclear<Visitor>(type_list<T>()))::type;

// The variables complete that class, and no function does: clang takes a function with an error for one that is no
// constant, and says so in each that calls it.
template <class T, class Visitor>
inline constexpr bool leads =
    sizeof(clear<T, Visitor>) != 0 && detail::find_pointer<Visitor>(type_list<T>()) == finding::wanted;

}  // namespace detail

// Whether a T may hold a traced pointer. Requires: T and the types of all its parts are complete.
template <class T>
inline constexpr bool leads_to_traced =
    sizeof(detail::clear<std::remove_cv_t<T>>) != 0 && detail::leads<std::remove_cv_t<T>, detail::idle_visitor>;

// Effects: calls visitor(pointer) for every traced pointer in the object. The visitor sees it as const.
template <class T, class Visitor>
void trace(const T& object, Visitor& visitor) {
    if constexpr (detail::leads<T, Visitor>) {
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
