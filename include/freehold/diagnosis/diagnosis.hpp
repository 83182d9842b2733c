#pragma once
// Diagnosis: who owns an object, and which objects keep each other alive.
//
//     auto node = freehold::make_diagnosed<Node>();       // instead of make_shared
//     freehold::report_cycles();                          // prints the objects that leak, and why
//
// For graphs of ordinary counting pointers: those of Freehold, the standard and Boost. make_diagnosed makes the objects
// of interest, or allocate_shared with a diagnosing_allocator. trace() finds the pointers in them without help.
//
// An object with more owners than were found in diagnosed objects is owned from outside, and so is all that it leads
// to. The other objects only own each other and leak.
//
// Thread safety: any thread may make and destroy objects. No thread may change diagnosed objects during a search for
// owners. Exceptions: std::bad_alloc. Complexity: n log n in the objects and their pointers.
// Cost: making a diagnosed object, and destroying it, takes a lock and changes a table. Other objects cost nothing.
//
// In a debugger: `call freehold::report_cycles(stderr)` and `call freehold::report_owners(address, stderr)`.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "../memory/small_block_allocator.hpp"
#include "../pointers/make_shared.hpp"
#include "../pointers/shared_ptr.hpp"
#include "detail/diagnosed_objects.hpp"
#include "detail/graph_cycles.hpp"
#include "detail/ownership_graph.hpp"

namespace freehold::inline v0_2 {

inline std::size_t report_cycles(std::FILE* output);
inline void report_owners(const void* address, std::FILE* output);

namespace detail {

// Effects: keeps the function in the program for a debugger, though nothing calls it. It is used where objects are
// made: a file that only includes this header gets no code from it.
template <class Function>
FREEHOLD_ALWAYS_INLINE inline void keep_for_debugger(Function* function) noexcept {
    FREEHOLD_PRETEND_USE(function);
}

}  // namespace detail

// An allocator whose objects are diagnosed. Its memory is that of small_block_allocator.
template <class T>
class diagnosing_allocator : public small_block_allocator<T> {
public:
    constexpr diagnosing_allocator() noexcept = default;

    template <class U>
    constexpr diagnosing_allocator(const diagnosing_allocator<U>&) noexcept {}

    // Throws: what U's constructor throws, or std::bad_alloc; then nothing is left behind.
    template <class U, class... Arguments>
    void construct(U* place, Arguments&&... arguments) {
        detail::keep_for_debugger<std::size_t(std::FILE*)>(report_cycles);
        detail::keep_for_debugger<void(const void*, std::FILE*)>(report_owners);
        ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
        struct guard {
            ~guard() {
                if (constructed != nullptr) constructed->~U();
            }
            U* constructed;
        } unknown{place};
        detail::diagnosed_objects::of_the_program().add(place, detail::diagnosed<U>::type);
        unknown.constructed = nullptr;
    }

    template <class U>
    void destroy(U* object) noexcept {
        detail::diagnosed_objects::of_the_program().remove(object);
        object->~U();
    }
};

// Returns: the first owner of a new T(arguments...), which is diagnosed.
// Throws: std::bad_alloc, or what the constructor throws; then nothing is left behind.
template <class T, class... Arguments>
[[nodiscard]] shared_ptr<T> make_diagnosed(Arguments&&... arguments) {
    return freehold::allocate_shared<T>(diagnosing_allocator<T>(), std::forward<Arguments>(arguments)...);
}

namespace detail {

// Returns: the owner for an edge of the graph.
[[nodiscard]] inline diagnosed_owner described(const ownership_graph& graph, const ownership_graph::edge& owner) {
    const ownership_graph::node& from = graph.nodes()[owner.from];
    return {from.address, std::string(from.type->name), from.number, owner.place};
}

}  // namespace detail

// Returns: the owners, in diagnosed objects, of the diagnosed object that contains the address.
[[nodiscard]] inline std::vector<diagnosed_owner> who_owns(const void* address) {
    const detail::ownership_graph graph;
    std::vector<diagnosed_owner> owners;
    for (const auto& owner : graph.owners_of(graph.at(address))) owners.push_back(detail::described(graph, owner));
    return owners;
}

// Returns: for every group of diagnosed objects that own each other and have no owner outside, a shortest cycle through
// the group's oldest object. Each owner owns the object of the next, and the last one that of the first.
[[nodiscard]] inline std::vector<std::vector<diagnosed_owner>> find_cycles() {
    const detail::ownership_graph graph;
    const std::vector<std::size_t> order = graph.in_order_of_making();
    return detail::find_unheld_cycles(
        graph, [&order](std::size_t n) { return order[n]; },
        [&graph](const auto& edge) { return detail::described(graph, graph.nodes()[edge.from].owns[edge.place]); });
}

// Effects: prints the result of find_cycles(), a line for each owner. Returns: the number of cycles.
inline std::size_t report_cycles(std::FILE* output = stderr) {
    return detail::print_cycles(find_cycles(), "keeps itself alive", true, output);
}

// Effects: prints the owners of the diagnosed object that contains the address, and the number of owners elsewhere.
inline void report_owners(const void* address, std::FILE* output = stderr) {
    const detail::ownership_graph graph;
    const std::size_t owned = graph.at(address);
    if (owned == detail::ownership_graph::nobody) {
        std::fprintf(output, "freehold: there is no diagnosed object at %p\n", address);
        return;
    }
    const auto& object = graph.nodes()[owned];
    std::fprintf(output, "freehold: %s #%zu at %p is owned\n", std::string(object.type->name).c_str(), object.number,
                 object.address);
    for (const auto& edge : graph.owners_of(owned)) {
        const diagnosed_owner owner = detail::described(graph, edge);
        std::fprintf(output, "    by owner %zu in %s #%zu at %p\n", owner.place, owner.type.c_str(), owner.number,
                     owner.object);
    }
    if (object.found == 0) {
        std::fprintf(output, "    by nobody in a diagnosed object\n");
    } else {
        std::fprintf(output, "    by %ld elsewhere\n", object.owners - object.found);
    }
}

// Effects: writes all diagnosed objects and their pointers as a graph for Graphviz's dot. Objects that leak are red.
inline void draw_ownership(std::FILE* output) {
    const detail::ownership_graph graph;
    std::fprintf(output, "digraph ownership {\n");
    for (const auto& node : graph.nodes()) {
        std::fprintf(output, "    n%zu [label=\"%s #%zu\"%s];\n", node.number, std::string(node.type->name).c_str(),
                     node.number, node.is_held ? "" : ", color=red");
        for (const detail::ownership_graph::edge& owner : node.owns) {
            std::fprintf(output, "    n%zu -> n%zu;\n", node.number, graph.nodes()[owner.to].number);
        }
    }
    std::fprintf(output, "}\n");
}

// Effects: calls report_cycles() when the program exits, after static objects that are made from now on are destroyed.
inline void report_cycles_at_exit() {
    std::atexit([] { report_cycles(); });
}

}  // namespace freehold
