#pragma once
// is_emulated: whether an emulator runs the tests for another processor. The memory of the process is that of the
// emulator, too, and a child of a process with threads cannot start any.

#include <cstdlib>

namespace support {

inline bool is_emulated() { return std::getenv("FREEHOLD_TESTS_ARE_EMULATED") != nullptr; }

}  // namespace support
