#pragma once
// Who owns what in the pool of the process: what leaks, what expired weak pointers keep, and who owns an object.
//
//     const freehold::owners_report report = freehold::find_owners();     // no other thread changes an owner meanwhile
//     freehold::write_json(report, file);                                 // as ./freehold owners --json has it
//
// It answers what `./freehold owners` answers of a program that nobody prepared, in the same words:
//   held       an owner outside of the pool, or another held object, owns the object
//   leaked     only objects own it of which none is held: they own each other
//   expired    it has no owner; weak pointers keep its memory
// Objects are those of shared_ptr with any counting and of thin_ptr, whose blocks are in the small-block pool: those of
// up to 256 bytes with their block that make_shared makes, and those beside a block there. Handles are found in these
// objects and in all other blocks of the pool. Globals, stacks and other memory are not read: an owner there is one
// that was not found, and holds its object. So are those of a thin_ptr, of an atomic pointer, and those that wait to be
// released. Raw pointers hold nothing. Only the command tells leaked-raw and leaked-stale.
//
// Under AddressSanitizer, Valgrind, FREEHOLD_WITHOUT_POOL and FREEHOLD_WITHOUT_NAMES nothing is found, nor with
// FREEHOLD_HARDENED what make_shared made: it has other pools.
//
// Thread safety: no other thread uses the pool, or changes an owner of what is in it, meanwhile. Exceptions:
// std::bad_alloc. Complexity: n log n in the words of the pool. Cost: none until it is called; then 40 bytes for each
// block of the pool, 92 more for each shared object and 28 for each handle, in pages of its own.

#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "../core/config.hpp"

namespace freehold::inline v0_2 {

struct owners_report {
    struct type {
        std::string name;
        std::size_t objects = 0;
        std::size_t bytes = 0;  // of the objects, with their control blocks
        std::size_t owners = 0;
        std::size_t weak = 0;
        std::map<std::string, std::size_t> grades;  // how many of the objects are so
        std::size_t leaked_bytes = 0;
        std::size_t expired_bytes = 0;
    };

    // An object, and the place in it from which the next is owned, such as "+40".
    struct step {
        std::string type;
        std::string place;
        const void* address;
    };

    // Objects that own each other, and those that only they hold.
    struct leak {
        std::vector<step> cycle;                    // the first owns the second, and the last the first
        std::map<std::string, std::size_t> types;   // objects of each, in the cycle
        std::map<std::string, std::size_t> behind;  // objects of each that only the cycle holds
        std::size_t bytes = 0;
        std::size_t count = 0;  // how often there is one like it; the figures are of all together
    };

    // A handle of an object.
    struct owner {
        const void* address;
        std::string kind;   // "owner", "weak" or "owner or weak"
        std::string where;  // such as "Session +40", or "another block of the pool"
    };

    std::size_t owners = 0;
    std::size_t unseen = 0;   // of these, how many were not found
    std::size_t unknown = 0;  // handles of which it is not known whether they own
    std::vector<type> types;  // those of most bytes first
    std::vector<leak> leaks;  // likewise
};

// Returns: what the shared objects of the pool are, and what leaks.
[[nodiscard]] inline owners_report find_owners();

// Returns: the handles in the pool that lead to the shared object that contains the address.
[[nodiscard]] inline std::vector<owners_report::owner> find_owners_of(const volatile void* address);

// Effects: writes the report as JSON, which `./freehold owners` reads. Returns: false if not everything could be
// written. Complexity: linear.
inline bool write_json(const owners_report& report, std::FILE* output);

}  // namespace freehold

#include "detail/owners_file.hpp"
#include "detail/owners_rows.hpp"
