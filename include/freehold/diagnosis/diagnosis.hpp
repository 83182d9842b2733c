#pragma once
// Diagnosis: who owns an object, and which objects keep each other alive.
//
//     auto node = freehold::make_diagnosed<Node>();       // instead of make_shared
//     freehold::report_cycles();                          // prints what will never end, and why
//
// For the graphs of ordinary pointers that count: shared_ptr and its kin, Freehold's, the standard's and Boost's. The
// objects of interest are made by make_diagnosed, or by allocate_shared with a diagnosing_allocator. What each of them
// owns is found by trace(), which need not be told of those pointers.
//
// An object is kept alive from outside if it has more owners than were found in diagnosed objects, and so is all that
// it leads to. What is left is owned by itself alone and will never end.
//
// Thread safety: objects may be made and ended in any threads. While owners are looked for, no thread may change the
// diagnosed objects. Exceptions: std::bad_alloc. Complexity: n log n in the objects and what they own.
// Cost: a diagnosed object takes a lock and an entry of a table when it is made, and again when it ends. For others
// there is none.
//
// In a debugger: `call freehold::report_cycles()` and `call freehold::report_owners(address)`.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../memory/small_block_allocator.hpp"
#include "../pointers/make_shared.hpp"
#include "../pointers/shared_ptr.hpp"
#include "detail/diagnosed_objects.hpp"
#include "detail/ownership_graph.hpp"

namespace freehold {

inline std::size_t report_cycles(std::FILE* output);
inline void report_owners(const void* address, std::FILE* output);

namespace detail {

// Effects: keeps the function in the program, for its debugger, though nothing calls it. It stands where objects are
// made known: a file that only includes this header has no code of it.
template <class Function>
[[gnu::always_inline]] inline void keep_for_debugger(Function* function) noexcept {
    asm volatile("" : : "r"(function));
}

}  // namespace detail

// An allocator whose objects are known to diagnosis: the memory is that of small_block_allocator.
template <class T>
class diagnosing_allocator : public small_block_allocator<T> {
public:
    constexpr diagnosing_allocator() noexcept = default;

    template <class U>
    constexpr diagnosing_allocator(const diagnosing_allocator<U>&) noexcept {}

    // Throws: what U's constructor throws, or std::bad_alloc; then nothing is left behind.
    template <class U, class... Arguments>
    void construct(U* place, Arguments&&... arguments) {
        detail::keep_for_debugger(report_cycles);
        detail::keep_for_debugger(report_owners);
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

// Returns: the first owner of a new T(arguments...), which is known to diagnosis.
// Throws: std::bad_alloc, or what the constructor throws; then nothing is left behind.
template <class T, class... Arguments>
[[nodiscard]] shared_ptr<T> make_diagnosed(Arguments&&... arguments) {
    return freehold::allocate_shared<T>(diagnosing_allocator<T>(), std::forward<Arguments>(arguments)...);
}

// A diagnosed object, and one of the owners in it.
struct diagnosed_owner {
    const void* object;
    std::string type;      // its name
    unsigned long number;  // in the order in which diagnosed objects were made
    std::size_t place;     // which of the owners in it, as trace() visits them, from 1 on
};

namespace detail {

// Returns: the owners that the edges of a graph stand for.
[[nodiscard]] inline std::vector<diagnosed_owner> described(const ownership_graph& graph,
                                                            const std::vector<ownership_graph::edge>& owners) {
    std::vector<diagnosed_owner> result;
    for (const ownership_graph::edge& owner : owners) {
        const ownership_graph::node& from = graph.nodes()[owner.from];
        result.push_back({from.address, std::string(from.type->name), from.number, owner.place});
    }
    return result;
}

}  // namespace detail

// Returns: the owners in diagnosed objects of the diagnosed object that has the address in it.
[[nodiscard]] inline std::vector<diagnosed_owner> who_owns(const void* address) {
    const detail::ownership_graph graph;
    return detail::described(graph, graph.owners_of(graph.at(address)));
}

// Returns: for every group of diagnosed objects that own each other and that nobody else keeps alive, a shortest circle
// through the object of it that was made first: each owner in it owns the next one's object, and the last one the
// first's.
[[nodiscard]] inline std::vector<std::vector<diagnosed_owner>> find_cycles() {
    const detail::ownership_graph graph;
    std::vector<std::vector<diagnosed_owner>> result;
    for (const auto& circle : graph.cycles()) result.push_back(detail::described(graph, circle));
    return result;
}

// Effects: prints the result of find_cycles(), a line for each owner. Returns: the number of circles.
inline std::size_t report_cycles(std::FILE* output = stderr) {
    const auto cycles = find_cycles();
    for (std::size_t i = 0; i < cycles.size(); ++i) {
        std::fprintf(output, "freehold: cycle %zu of %zu keeps itself alive:\n", i + 1, cycles.size());
        for (std::size_t j = 0; j < cycles[i].size(); ++j) {
            const diagnosed_owner& owner = cycles[i][j];
            const diagnosed_owner& owned = cycles[i][(j + 1) % cycles[i].size()];
            std::fprintf(output, "    %s #%lu at %p owns, by its owner %zu, %s #%lu\n", owner.type.c_str(),
                         owner.number, owner.object, owner.place, owned.type.c_str(), owned.number);
        }
    }
    return cycles.size();
}

// Effects: prints who owns the diagnosed object that has the address in it, and how many owners are elsewhere.
inline void report_owners(const void* address, std::FILE* output = stderr) {
    const detail::ownership_graph graph;
    const std::size_t owned = graph.at(address);
    if (owned == detail::ownership_graph::nobody) {
        std::fprintf(output, "freehold: there is no diagnosed object at %p\n", address);
        return;
    }
    const auto& object = graph.nodes()[owned];
    std::fprintf(output, "freehold: %s #%lu at %p is owned\n", std::string(object.type->name).c_str(), object.number,
                 object.address);
    for (const diagnosed_owner& owner : detail::described(graph, graph.owners_of(owned))) {
        std::fprintf(output, "    by owner %zu in %s #%lu at %p\n", owner.place, owner.type.c_str(), owner.number,
                     owner.object);
    }
    if (object.found == 0) {
        std::fprintf(output, "    by nobody in a diagnosed object\n");
    } else {
        std::fprintf(output, "    by %ld elsewhere\n", object.owners - object.found);
    }
}

// Effects: writes all diagnosed objects and what they own as a graph for Graphviz's dot. What will never end is red.
inline void draw_ownership(std::FILE* output) {
    const detail::ownership_graph graph;
    std::fprintf(output, "digraph ownership {\n");
    for (const auto& node : graph.nodes()) {
        std::fprintf(output, "    n%lu [label=\"%s #%lu\"%s];\n", node.number, std::string(node.type->name).c_str(),
                     node.number, node.is_held ? "" : ", color=red");
        for (const detail::ownership_graph::edge& owner : node.owns) {
            std::fprintf(output, "    n%lu -> n%lu;\n", node.number, graph.nodes()[owner.to].number);
        }
    }
    std::fprintf(output, "}\n");
}

// Effects: calls report_cycles() when the program exits, after what was made from now on is destroyed.
inline void report_cycles_at_exit() {
    std::atexit([] { report_cycles(); });
}

}  // namespace freehold
