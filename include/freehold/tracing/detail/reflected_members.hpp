#pragma once
// The bases and members of an aggregate, found by C++26's static reflection (P2996, P1306, P3491), where the compiler
// has it: any number of members, long arrays, and bases that are not empty. Elsewhere aggregate_members.hpp finds what
// it can.

#if defined(__has_include)
#if __has_include(<version>)
#include <version>
#endif
#endif

#if defined(__cpp_impl_reflection) && defined(__cpp_lib_reflection) && defined(__cpp_expansion_statements)
#define FREEHOLD_REFLECTION 1

#include <meta>
#include <vector>

namespace freehold::inline v0_2::detail {

template <class... Types>
struct type_list;

inline constexpr auto all_members = std::meta::access_context::unchecked();

// Returns: the type to ask of a part; for a reference, a pointer, as neither keeps anything alive.
consteval std::meta::info type_of_part(std::meta::info part) {
    const std::meta::info type = std::meta::type_of(part);
    if (std::meta::is_reference_type(type)) return std::meta::add_pointer(std::meta::remove_reference(type));
    return std::meta::remove_cv(type);
}

// Returns: the type_list of the types of the bases and members of T.
template <class T>
consteval std::meta::info list_reflected_types() {
    std::vector<std::meta::info> types;
    for (const std::meta::info base : std::meta::bases_of(^^T, all_members)) types.push_back(type_of_part(base));
    for (const std::meta::info member : std::meta::nonstatic_data_members_of(^^T, all_members)) {
        types.push_back(type_of_part(member));
    }
    return std::meta::substitute(^^type_list, types);
}

template <class T>
using member_types = [:list_reflected_types<T>():];

// Effects: use(part) for each base and member of the object that is no reference.
template <class T, class Use>
void each_member(const T& object, Use& use) {
    template for (constexpr auto base : std::define_static_array(std::meta::bases_of(^^T, all_members))) {
        use(static_cast<const typename[:std::meta::type_of(base):]&>(object));
    }
    template for (constexpr auto member :
                  std::define_static_array(std::meta::nonstatic_data_members_of(^^T, all_members))) {
        if constexpr (!std::meta::is_reference_type(std::meta::type_of(member))) use(object.[:member:]);
    }
}

}  // namespace freehold::detail

#else
#define FREEHOLD_REFLECTION 0
#endif
