#pragma once
// heap_profile: which calls have allocated what the process uses, from one sample in 512 KiB, while it runs.
//
//     int main() {
//         freehold::heap_profile::start();
//         …
//         freehold::heap_profile::write("heap.pb");  // pprof PROGRAM heap.pb
//
// It sees small_block_pool, replace_new.hpp, libfreehold-malloc.so and each concurrent_pool_resource.
//
// Thread safety: any thread may call any function. Exceptions: none.
// Cost: two instructions in each allocation, also before start(). Afterwards a call stack in 512 KiB, and 6.3 MiB of
// addresses, which are touched as they are used.

#include <cstdint>

#include "../core/config.hpp"
#include "detail/module_profile.hpp"

namespace freehold::inline v0_2 {

class heap_profile {
public:
    // pprof: profile.proto, with the numbers and bytes that were allocated and are in use. folded: each line is a call
    // stack and the bytes in use. folded_total: and all bytes that were allocated.
    using format = detail::module_profile::format;

    // Effects: samples are taken from now on, until the process ends. Returns: false on a system where call stacks
    // cannot be seen, and without memory.
    static bool start() noexcept { return detail::module_profile::start(); }

    // Effects: writes what was sampled up to now to a new file, which only the user may read. Where there is one of
    // that name already, .1, .2 and so on are added. Returns: whether the file was written; not before start(), nor
    // where the process has more rights than its user.
    static bool write(const char* path, format as = format::pprof) noexcept {
        detail::module_profile* const profile = detail::module_profile::get();
        return profile != nullptr && profile->write(path, as);
    }

    // Returns: folded if the path ends with .folded, else pprof.
    [[nodiscard]] static format format_of(const char* path) noexcept { return detail::module_profile::format_of(path); }

    // Effects: the next sampled allocation of any thread calls write(path, format_of(path)).
    // The handler of a signal may call it. Requires: start() was called; the path is never changed.
    static void write_soon(const char* path) noexcept {
        if (detail::module_profile* const profile = detail::module_profile::get()) profile->write_soon(path);
    }
};

}  // namespace freehold
