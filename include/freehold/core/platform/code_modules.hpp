#pragma once
// Where the code of the process is: what a profile says of its addresses. None but on Linux.
//
// Thread safety: any thread may call any function. Exceptions: none. Nothing is allocated; the dynamic loader's lock is
// taken. Cost: linear in the modules.

#include <cstddef>
#include <cstdint>

#include "../config.hpp"

namespace freehold::inline v0_2::detail {

// A range of addresses with the code of a module.
struct code_range {
    std::uintptr_t begin;
    std::uintptr_t end;
    std::uint64_t offset;  // of `begin` in the file
    const char* file;
    const unsigned char* build_id;  // or null
    std::size_t build_id_bytes;
};

// Effects: calls visit(context, range) for each range, the program's own first.
inline void visit_code(void (*visit)(void* context, const code_range& range), void* context) noexcept;

// The function that an address is in, as far as the dynamic symbols tell.
struct code_place {
    const char* function;   // or null
    const char* file;       // or null
    std::uintptr_t offset;  // of the address in the module
};

[[nodiscard]] inline code_place place_of_code(const void* address) noexcept;

#if !defined(FREEHOLD_LINUX)
inline void visit_code(void (* /*visit*/)(void* context, const code_range& range), void* /*context*/) noexcept {}

[[nodiscard]] inline code_place place_of_code(const void* /*address*/) noexcept { return {}; }
#endif

}  // namespace freehold::detail

#if defined(FREEHOLD_LINUX)
#include "detail/linux/code_modules.hpp"
#endif
