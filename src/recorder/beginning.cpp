// Programs that this one begins without the recorder, by another environment: they are counted, and the first are
// named.

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <alloca.h>
#include <spawn.h>
#include <unistd.h>

#include "hooks.hpp"

extern char** environ;

namespace {

using namespace recorder;

bool has_recorder(char* const* environment) {
    bool is_preloaded = false, is_told = false;
    for (; environment != nullptr && *environment != nullptr; ++environment) {
        is_preloaded |= std::strncmp(*environment, "LD_PRELOAD=", 11) == 0 &&
                        std::strstr(*environment, "libfreehold-recorder") != nullptr;
        is_told |= std::strncmp(*environment, "FREEHOLD_RECORDING=", 19) == 0;
    }
    return is_preloaded && is_told;
}

void name(char* into, const char* path) {
    const char* const last = std::strrchr(path, '/');
    std::strncpy(into, last != nullptr ? last + 1 : path, most_letters - 1);
}

// Returns what `begin` does; only if that is 0, or it does not return, the program counts. It may run in a child of
// vfork, so it writes to shared memory alone.
template <class Function>
int begun(const char* path, char* const* environment, Function begin) {
    // acquire: pairs with the release in begin(), which has mapped it
    if (!is_recording.load(std::memory_order_acquire) || path == nullptr || has_recorder(environment)) return begin();
    const std::uint32_t number = shared->unrecorded.fetch_add(1, std::memory_order_relaxed);
    if (number < most_named) name(shared->unrecorded_name[number], path);
    const int result = begin();
    if (result == 0) return 0;
    shared->unrecorded.fetch_sub(1, std::memory_order_relaxed);
    if (number < most_named) std::memset(shared->unrecorded_name[number], 0, most_letters);
    return result;
}

template <class Function>
bool is_missing(const Function& function) {
    if (function == nullptr) resolve();
    if (function == nullptr) errno = ENOSYS;
    return function == nullptr;
}

}

RECORDER_EXPORTED int execve(const char* path, char* const* arguments, char* const* environment) {
    if (is_missing(real.execve)) return -1;
    return begun(path, environment, [&] { return real.execve(path, arguments, environment); });
}

RECORDER_EXPORTED int execv(const char* path, char* const* arguments) { return execve(path, arguments, environ); }

RECORDER_EXPORTED int execvpe(const char* file, char* const* arguments, char* const* environment) {
    if (is_missing(real.execvpe)) return -1;
    return begun(file, environment, [&] { return real.execvpe(file, arguments, environment); });
}

RECORDER_EXPORTED int execvp(const char* file, char* const* arguments) { return execvpe(file, arguments, environ); }

RECORDER_EXPORTED int fexecve(int file, char* const* arguments, char* const* environment) {
    if (is_missing(real.fexecve)) return -1;
    return begun(*arguments, environment, [&] { return real.fexecve(file, arguments, environment); });
}

RECORDER_EXPORTED int posix_spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* actions,
                                  const posix_spawnattr_t* attributes, char* const* arguments,
                                  char* const* environment) {
    if (is_missing(real.posix_spawn)) return ENOSYS;
    return begun(path, environment,
                 [&] { return real.posix_spawn(process, path, actions, attributes, arguments, environment); });
}

RECORDER_EXPORTED int posix_spawnp(pid_t* process, const char* file, const posix_spawn_file_actions_t* actions,
                                   const posix_spawnattr_t* attributes, char* const* arguments,
                                   char* const* environment) {
    if (is_missing(real.posix_spawnp)) return ENOSYS;
    return begun(file, environment,
                 [&] { return real.posix_spawnp(process, file, actions, attributes, arguments, environment); });
}

// Makes an array `found` of arguments that end with a null pointer, on the stack; `rest` is what comes after it.
#define COLLECT_ARGUMENTS(first)                                                   \
    va_list rest;                                                                  \
    va_start(rest, first);                                                         \
    std::size_t count = 1;                                                         \
    if (first != nullptr)                                                          \
        while (va_arg(rest, char*) != nullptr) ++count;                            \
    va_end(rest);                                                                  \
    char** const found = static_cast<char**>(alloca((count + 1) * sizeof(char*))); \
    va_start(rest, first);                                                         \
    found[0] = const_cast<char*>(first);                                           \
    for (std::size_t i = 1; first != nullptr && i <= count; ++i) found[i] = va_arg(rest, char*)

RECORDER_EXPORTED int execl(const char* path, const char* first, ...) {
    COLLECT_ARGUMENTS(first);
    va_end(rest);
    return execve(path, found, environ);
}

RECORDER_EXPORTED int execlp(const char* file, const char* first, ...) {
    COLLECT_ARGUMENTS(first);
    va_end(rest);
    return execvpe(file, found, environ);
}

RECORDER_EXPORTED int execle(const char* path, const char* first, ...) {
    COLLECT_ARGUMENTS(first);
    char** const environment = va_arg(rest, char**);
    va_end(rest);
    return execve(path, found, environment);
}
