#pragma once
// The clock of a watched program stands still, so that no figure depends on how fast the program runs: idle pages, for
// one, go back to the system when they were idle for a second. One source of a program includes this.

#include <ctime>

extern "C" int clock_gettime(clockid_t, timespec* now) noexcept {
    *now = {.tv_sec = 1'000'000, .tv_nsec = 0};
    return 0;
}
