#pragma once
// Ends a process that hangs, so that its test fails.

#include <sys/resource.h>
#include <unistd.h>

namespace support {

// Effects: ends this process after five minutes of processor time, times the number of processors, since all its
// threads count. A busy machine does not lengthen that. A process that waits forever uses none: it ends after 15
// minutes. A forked child inherits the first limit only.
inline void set_deadline() {
    constexpr rlim_t processor_seconds = 300;
    constexpr unsigned seconds = 900;
    rlimit limit{};
    getrlimit(RLIMIT_CPU, &limit);
    limit.rlim_cur = processor_seconds * static_cast<rlim_t>(sysconf(_SC_NPROCESSORS_ONLN));
    setrlimit(RLIMIT_CPU, &limit);
    alarm(seconds);
}

}  // namespace support
