#pragma once
// What gdb needs to show Freehold's pointers and resources, in the program itself. Include this in one file of it.
//
//     (gdb) print p
//     $1 = freehold::shared_ptr<node> (2 owners, 0 weak pointers) to {value = 7} = {get() = 0x7ffff7910090}
//
// gdb runs what a program brings only if its settings allow that: `./freehold debugger` prints the line. The page
// docs/guide/debugging.md tells what is shown.
//
// Thread safety: there is nothing to call. Exceptions: none.
// Cost: 34 KB of constants in the file of the program, which it never reads.

#include "../core/config.hpp"

#define FREEHOLD_GDB_MODULE_BEGIN(name) "freehold_load('" name "', r'''#"
#define FREEHOLD_GDB_MODULE_END "\n''')\n"

namespace freehold::inline v0_2::detail {

// The files are Python, and begin and end as a string in C++, too. gdb reads the section: a byte that says that a
// script in Python follows, a line with its name, and the script. It must not be aligned, as gdb takes each byte for
// the beginning of another one. As a variable it is also in a stripped program. A section made by the assembler would
// not be, but its text would have to be generated, or found by a path.
FREEHOLD_DEBUGGER_SCRIPT inline constexpr char gdb_script[] =
    "\x04gdb.inlined-freehold\n"
    "import sys, types\n"
    "def freehold_load(name, text):\n"
    "    sys.modules[name] = types.ModuleType(name)\n"
    "    exec(compile(text, name, 'exec'), sys.modules[name].__dict__)\n"
    // clang-format off
    FREEHOLD_GDB_MODULE_BEGIN("freehold_counts")
#include "debugger/freehold_counts.py"
    FREEHOLD_GDB_MODULE_END
    FREEHOLD_GDB_MODULE_BEGIN("freehold_values")
#include "debugger/freehold_values.py"
    FREEHOLD_GDB_MODULE_END
    FREEHOLD_GDB_MODULE_BEGIN("freehold_owners")
#include "debugger/freehold_owners.py"
    FREEHOLD_GDB_MODULE_END
    FREEHOLD_GDB_MODULE_BEGIN("freehold_resources")
#include "debugger/freehold_resources.py"
    FREEHOLD_GDB_MODULE_END
    FREEHOLD_GDB_MODULE_BEGIN("freehold_blocks")
#include "debugger/freehold_blocks.py"
    FREEHOLD_GDB_MODULE_END
    FREEHOLD_GDB_MODULE_BEGIN("freehold_gdb_value")
#include "debugger/freehold_gdb_value.py"
    FREEHOLD_GDB_MODULE_END
    FREEHOLD_GDB_MODULE_BEGIN("freehold_gdb")
#include "debugger/freehold_gdb.py"
    FREEHOLD_GDB_MODULE_END
    FREEHOLD_GDB_MODULE_BEGIN("freehold_gdb_commands")
#include "debugger/freehold_gdb_commands.py"
    FREEHOLD_GDB_MODULE_END;
// clang-format on

}  // namespace freehold::detail

#undef FREEHOLD_GDB_MODULE_BEGIN
#undef FREEHOLD_GDB_MODULE_END
