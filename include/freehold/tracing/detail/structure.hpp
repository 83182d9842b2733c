#pragma once
// How the parts of a type are found, and what a compiler says where they cannot be.

#include "../../core/config.hpp"

namespace freehold::inline v0_2::detail {

// How to find the parts of a type. After `members`: why they cannot be found.
enum class structure {
    pointer,
    leaf,
    member_function,
    elements,
    product,
    pointee,
    variant,
    adaptor,
    members,
    inherited_trace,
    mutable_trace,
    private_trace,
    derived_range,
    unknown_range,
    unknown,
    variable,
    base_pointee,
    base,
    uncountable,
    long_array,
    too_many_members,
};

template <structure How, structure Refused>
inline constexpr bool is_none_of = How != Refused;

// Does not compile if the parts of a T cannot be found.
template <class T, structure How>
struct expect_parts {
    static_assert(
        is_none_of<How, structure::inherited_trace>,
        "freehold: this class adds members to a base and inherits its trace(visit), which does not visit them; "
        "declare one here that visits the base and every member which this class adds: "
        "void trace(auto& visit) const { base::trace(visit); visit(first, second); }");
    static_assert(
        is_none_of<How, structure::mutable_trace>,
        "freehold: the trace(visit) of this class is not const; declare it so: void trace(auto& visit) const");
    static_assert(
        is_none_of<How, structure::private_trace>,
        "freehold: the trace of this class is private or takes something else than a visitor; make it public: void "
        "trace(auto& visit) const");
    static_assert(
        is_none_of<How, structure::derived_range>,
        "freehold: this class is derived from a container and adds members to it, which are not found; give it a "
        "member function trace(visit), or specialize freehold::is_traced_range if the elements are all");
    static_assert(
        is_none_of<How, structure::unknown_range>,
        "freehold: this class has begin(), but does not say that its elements are all it holds; give it a member "
        "function trace(visit), or specialize freehold::is_traced_range for it");
    static_assert(
        is_none_of<How, structure::unknown>,
        "freehold: nothing is known of what this type holds; give it a member function trace(visit) that visits "
        "every member, or specialize freehold::is_untraced for it");
    static_assert(is_none_of<How, structure::variable>,
                  "freehold: a traced_local is for variables; hold a traced_ptr in an object of a traced_heap, and a "
                  "traced_root in any other");
    static_assert(
        is_none_of<How, structure::base_pointee>,
        "freehold: a unique_ptr to a class that others may derive from needs a member function trace(visit) there, or "
        "in the class that holds it");
    static_assert(is_none_of<How, structure::base>,
                  "freehold: an aggregate with a base needs a member function trace(visit)");
    static_assert(is_none_of<How, structure::uncountable>,
                  "freehold: an aggregate with a reference, or whose first member can be made from anything needs a "
                  "member function trace(visit)");
    static_assert(is_none_of<How, structure::long_array>,
                  "freehold: an aggregate with so long an array needs a member function trace(visit), or a std::array "
                  "in its place");
    static_assert(is_none_of<How, structure::too_many_members>,
                  "freehold: an aggregate of more than 128 members needs a member function trace(visit)");
};

}  // namespace freehold::detail
