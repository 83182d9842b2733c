#include "library_that_is_unloaded.hpp"

#include <freehold/memory/page_cache_thread.hpp>
#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/reclamation/rcu_domain.hpp>

#include <thread>

namespace {

void use(freehold::page_cache& pages) {
    std::thread([&pages] {
        freehold::atomic_shared_ptr<int> shared(freehold::make_shared<int>(7));
        static_cast<void>(shared.load());
        freehold::rcu_default_domain().lock();
        freehold::rcu_default_domain().unlock();
        const freehold::page_cache_thread beside(pages);
    }).join();
}

}  // namespace

extern "C" [[gnu::visibility("default")]] const builds::fork_user offered = use;
