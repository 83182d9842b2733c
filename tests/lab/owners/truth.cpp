// Shared objects of every kind, leaked, held and expired, in four threads and as many arenas. See ground.hpp.

#include <semaphore>
#include <thread>

#include "held.hpp"
#include "leaked.hpp"
#include "leaked_containers.hpp"
#include "pages.hpp"

namespace {

using Maker = void (*)();

// Volatile: no maker becomes a part of a frame that stays.
Maker volatile leaking[] = {
    leaked::pair,
    leaked::by_new,
    leaked::deleter,
    leaked::stateful_deleter,
    leaked::owning_deleter,
    leaked::from_monotonic,
    leaked::from_pool,
    leaked::self,
    leaked::with_weak,
    leaked::from_this,
    leaked::alias,
    leaked::second_base,
    leaked::mmapped_chunk,
    leaked::lost_owner,
    leaked::array_by_new,
    leaked::array,
    leaked::once_owned_by_expired,
    leaked::clique,
    leaked::map,
    leaked::unordered_map,
    leaked::function,
#if __cpp_rtti
    leaked::any,
#endif
    leaked::optional_and_variant,
    leaked::behind_unique_ptr,
    leaked::list_and_deque,
    leaked::tail,
    leaked::registered,
#if __cpp_impl_coroutine
    leaked::coroutine,
#endif
};

Maker volatile holding[] = {
    held::global,
    held::function_static,
    held::containers,
    held::raw_back_pointers,
    held::weak_back_pointers,
    held::ring,
    held::encode,
    held::popped,
#if __cpp_impl_coroutine
    held::coroutine,
#endif
    held::expired,
    pages::owners_in_page,
    pages::dropped_shared_page,
    pages::swapped_page,
};

Maker volatile make_past = ground::make_history;
Maker volatile own_by_thread = held::thread_local_owner;

const char* path;
const char* end;
std::binary_semaphore parked(0);

void make(int rounds) {
    make_past();
    for (int i = 0; i < rounds; ++i) {
        for (const Maker volatile& each : leaking) each();
    }
    own_by_thread();
    ground::scrub();
}

// Effects: allocates what live objects have in reserve, before freed objects' handles can be in it. Those would hold
// what leaks: an effect of chance, which no tool can know from a handle that is meant.
void reserve() {
    leaked::formers.value.reserve(1000);
    leaked::registry.value.reserve(1000);
    static_cast<void>(leaked::resources.value.monotonic.allocate(1));
}

void park() {
    ground::scrub();
    parked.release();
    ground::park();
}

void finish() {
    ground::write_labels(path);
    ground::stand_by(end);
}

}

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    path = argv[1];
    ground::choose_fate(argv[2]);
    end = argv[3];
    reserve();
    for (int i = 0; i < 3; ++i) {  // one after another, so that nothing needs a lock
        std::thread([] {
            make(3);
            held::on_stack("stack of a thread", "ring from a thread's stack", park);
        }).detach();
        parked.acquire();
    }
    for (const Maker volatile& each : holding) each();
    // A core lacks that page, and then nothing may be called a leak.
    if (std::string_view(end) != "abort") pages::untouched_file_page(std::string(path) + ".page");
    make(6);
    held::on_stack("stack of main", "ring from main's stack", finish);
}
