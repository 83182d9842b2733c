#pragma once
// heap_snapshot: the objects of a collected heap, and the pointers between them, at one moment.
//
//     const freehold::heap_snapshot before = freehold::snapshot_of(heap);
//     serve(requests);
//     freehold::report_growth(before, freehold::snapshot_of(heap));        // which types have grown
//     freehold::report_owners(freehold::snapshot_of(heap), object);        // and what keeps one of them alive
//
// snapshot_of is in traced_snapshot.hpp and cyclic_snapshot.hpp. Types need nothing that the heap does not need. This
// header also brings
//     who_owns, find_cycles, census, growth and their report_...         from detail/snapshot_reports.hpp
//     referrers_of, report_referrers                                     from detail/snapshot_referrers.hpp
//     write_json, draw_ownership, draw_types                             from detail/snapshot_files.hpp
// What would be freed if an object went is in dominator_tree.hpp.
//
// An object is held if a root leads to it. The others are garbage that the next full collection destroys.
//
// Objects have numbers from 1 on, in the order of the heap's types and memory: the same in each run of a program that
// does the same. Two snapshots number the same object differently.
//
// Thread safety: that of reading it. Exceptions: std::bad_alloc. Complexity: that of each function; n is the number of
// objects and pointers. Cost: 60 bytes for each object, 4 for each pointer; nothing is allocated in the heap.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "detail/graph_cycles.hpp"

namespace freehold::inline v0_2 {

namespace detail {

class dominator_search;
class snapshot_builder;

}  // namespace detail

class heap_snapshot {
public:
    static constexpr std::size_t nobody = (std::numeric_limits<std::uint32_t>::max)();

    struct type {
        std::string name;
        std::size_t bytes;  // that an object takes in the heap
    };

    struct object {
        const void* address;
        std::size_t external_bytes;  // that it owns outside of the heap, as far as is known
        std::uint32_t type;          // its index in types()
    };

    // What holds an object from outside of the heap.
    struct root {
        const char* kind = nullptr;  // "traced_local", "traced_root", "owner outside" and others
        std::size_t number = 0;      // among those of the kind and session, from 1 on; traced_locals: the oldest first
        std::size_t object = 0;      // its index
        std::size_t session = 0;     // in a shared_traced_heap: 1 for the session that began first; 0 if it is of none

        // Returns: "traced_local 1", or "traced_local 1 of session 2".
        [[nodiscard]] std::string name() const;
    };

    heap_snapshot() = default;

    // The name of the heap's class.
    [[nodiscard]] const char* heap() const noexcept { return heap_; }

    [[nodiscard]] const std::vector<type>& types() const noexcept { return types_; }
    [[nodiscard]] const std::vector<object>& objects() const noexcept { return objects_; }
    [[nodiscard]] const std::vector<root>& roots() const noexcept { return roots_; }

    [[nodiscard]] std::size_t size() const noexcept { return objects_.size(); }

    [[nodiscard]] const type& type_of(std::size_t i) const noexcept { return types_[objects_[i].type]; }

    // Returns: the bytes of object i, with those outside of the heap.
    [[nodiscard]] std::size_t bytes_of(std::size_t i) const noexcept {
        return type_of(i).bytes + objects_[i].external_bytes;
    }

    // Returns: the number of pointers in object i that lead to an object.
    [[nodiscard]] std::size_t degree(std::size_t i) const noexcept { return first_edge_[i + 1] - first_edge_[i]; }

    // Returns: the index of the object that pointer k of object i leads to.
    [[nodiscard]] std::size_t target(std::size_t i, std::size_t k) const noexcept { return edges_[first_edge_[i] + k]; }

    // Returns: pointer k of object i, as an owner.
    [[nodiscard]] diagnosed_owner owner(std::size_t i, std::size_t k) const {
        return {objects_[i].address, type_of(i).name, i + 1, k + 1};
    }

    // Returns: whether a root leads to object i.
    [[nodiscard]] bool is_held(std::size_t i) const noexcept { return reached_[i].by != way::nothing; }

    // Returns: the index of the object that contains the address, or nobody. Complexity: log n.
    [[nodiscard]] std::size_t at(const void* address) const noexcept;

    // A shortest path that holds an object.
    struct path {
        root begin;                           // of kind null if nothing holds the object
        std::vector<diagnosed_owner> owners;  // each owns the next; the last one owns the object

        [[nodiscard]] explicit operator bool() const noexcept { return begin.kind != nullptr; }
    };

    // Returns: the path to object i.
    [[nodiscard]] path path_to(std::size_t i) const;

private:
    friend detail::dominator_search;
    friend detail::snapshot_builder;

    // How object i was reached first: by a root, or by a pointer of an object.
    struct way {
        static constexpr std::uint32_t nothing = 0;
        static constexpr std::uint32_t root = 1;
        static constexpr std::uint32_t object = 2;

        std::uint32_t by = nothing;
        std::uint32_t from = 0;   // the index of the root or object
        std::uint32_t place = 0;  // of the pointer in the object
    };

    struct placed {
        const void* address;
        std::uint32_t object;
    };

    const char* heap_ = "";
    std::vector<type> types_;
    std::vector<object> objects_;
    std::vector<placed> by_address_;
    std::vector<std::size_t> first_edge_ = {0};
    std::vector<std::uint32_t> edges_;
    std::vector<root> roots_;
    std::vector<way> reached_;
};

}  // namespace freehold

#include "detail/snapshot_builder.hpp"
#include "detail/snapshot_files.hpp"
#include "detail/snapshot_referrers.hpp"
#include "detail/snapshot_reports.hpp"
