#pragma once
// checked_counting: the library's atomic counting under the checker. Repeats can be made as well.
//
// The library counts in plain words (counting/atomic_counting.hpp says why). While that header is read here, the names
// of the builtins stand for operations of the checker: what is checked is the header itself, with its orders. Included
// before all other headers of the library, in each test of a program, which is not linked with tests that count as
// usual.

#include "checked_word.hpp"

// From here
#include "begin_checked_builtins.hpp"
// the builtins are the checker's,
#include <freehold/counting/atomic_counting.hpp>
// until here.
#include "end_checked_builtins.hpp"

#include "checked_threading.hpp"
#include "repeated_counting.hpp"

namespace support {

struct checked_counting : repeated_counting<freehold::atomic_counting> {
    using threading = checked_threading;
};

}  // namespace support
