// Libraries that go away: what comes to the same addresses afterwards has other rules and sites.

#include <cstddef>

#include <dlfcn.h>
#include <link.h>

#include "hooks.hpp"

namespace {

// Returns how many libraries have been unloaded.
unsigned long long unloaded() {
    unsigned long long found = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            *static_cast<unsigned long long*>(data) = info->dlpi_subs;
            return 1;
        },
        &found);
    return found;
}

}

RECORDER_EXPORTED int dlclose(void* library) {
    using namespace recorder;
    if (real.dlclose == nullptr) resolve();
    if (real.dlclose == nullptr) return -1;
    const unsigned long long before = unloaded();
    const int result = real.dlclose(library);
    if (unloaded() == before) return result;
    if (const recording on; on) {
        module_list::use(process->modules).forget();
        // relaxed: names alone would be wrong, and only of what another thread loads at this moment
        process->generation.fetch_add(1, std::memory_order_relaxed);
    }
    return result;
}
