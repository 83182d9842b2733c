#pragma once
// What a test program without GoogleTest needs.

#include <cstdio>
#include <cstdlib>

// Effects: if the condition does not hold, says so and ends the program as failed.
#define CHECK(condition) ((condition) ? static_cast<void>(0) : builds::failed(#condition, __FILE__, __LINE__))

namespace builds {

[[noreturn]] inline void failed(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: failed: %s\n", file, line, condition);
    std::exit(1);
}

}  // namespace builds
