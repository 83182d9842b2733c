#pragma once
// trace_any<Types...>(any, visit): traces what a std::any holds, which is one of the Types.
//
//     class property {
//     public:
//         void trace(auto& visit) const {
//             freehold::trace_any<freehold::traced_ptr<node>, std::vector<freehold::traced_ptr<node>>, int>(value_,
//             visit);
//         }
//
//     private:
//         std::any value_;
//     };
//
// The list names every type that the any may hold, also those without traced pointers: one that is forgotten is told in
// builds without NDEBUG. A std::variant needs no list, and no trace.
//
// Thread safety: that of reading the any. Exceptions: none. Complexity: linear in the number of types.
// Cost: a comparison of type_info for each type, until one fits. Needs run-time type information.

#include <any>

#include "../core/assert.hpp"
#include "../tracing/trace.hpp"

namespace freehold::inline v0_2 {

// Effects: visit(value) for the value that the any holds; `visit` is the argument of a member function trace.
// Requires: the any is empty, or holds one of the Types.
template <class... Types>
void trace_any(const std::any& held, auto& visit) {
    const auto trace_if = [&](const auto* value) {
        if (value != nullptr) visit(*value);
        return value != nullptr;
    };
    [[maybe_unused]] const bool the_type_is_in_the_list =
        (trace_if(std::any_cast<Types>(__builtin_addressof(held))) || ...) || !held.has_value();
    FREEHOLD_EXPECTS(the_type_is_in_the_list,
                     "a std::any holds a type that its trace_any<...> does not name; what it points to would be freed; "
                     "add the type to the list",
                     held.type().name());
}

}  // namespace freehold
