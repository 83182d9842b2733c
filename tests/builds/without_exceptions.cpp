// Freehold in a program that is compiled with -fno-exceptions: everything works, and what would be thrown ends the
// program with a message.

#include <freehold/freehold.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "check.hpp"

#ifdef __cpp_exceptions
#error "This program must be compiled without exceptions."
#endif

namespace {

struct object : freehold::enable_shared_from_this<object> {
    int value = 7;
};

struct counted : freehold::ref_counted<counted> {
    int value = 7;
};

// Returns: what action() writes to stderr before it aborts, or nothing if it does not abort.
template <class Action>
std::string message_of_abort(Action action) {
    int ends[2];
    CHECK(pipe(ends) == 0);
    const pid_t child = fork();
    CHECK(child != -1);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        action();
        _exit(0);
    }
    close(ends[1]);
    std::string message;
    char text[256];
    for (ssize_t length; (length = read(ends[0], text, sizeof text)) > 0;)
        message.append(text, static_cast<std::size_t>(length));
    close(ends[0]);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? message : std::string();
}

void check_that_everything_works() {
    auto p = freehold::make_shared<object>();
    const freehold::weak_ptr<object> weak = p;
    CHECK(p->shared_from_this() == p);
    CHECK(weak.lock() == p);
    CHECK(freehold::shared_ptr<object>(weak).use_count() == 2);
    const freehold::shared_ptr<object> from_unique = std::make_unique<object>();
    const freehold::shared_ptr<object> with_allocator(new object, std::allocator<object>());
    const auto array = freehold::make_shared<object[]>(10);
    CHECK(array[9].value == 7);
    CHECK(freehold::make_shared<int>(std::nothrow, 7) != nullptr);
    const auto local = freehold::make_local_shared<int>(7);
    const auto thin = freehold::make_thin<int>(7);
    const freehold::shared_ptr<int> shared_thin = thin;
    CHECK(shared_thin.use_count() == 2);
    const auto intrusive = freehold::make_intrusive<counted>();
    CHECK(intrusive->use_count() == 1);
    const freehold::linked_ptr<int> linked(new int(7));
    freehold::managed_ptr<object> managed = p;
    p = std::move(managed);
    CHECK(p.use_count() == 1);
    const auto cyclic = freehold::make_shared_with_weak<int>([](const auto&) { return 7; });
    auto mutable_one = cyclic;
    freehold::make_mutable(mutable_one) = 8;
    CHECK(*cyclic == 7);
    CHECK(freehold::try_unwrap(std::move(mutable_one)) == 8);
    freehold::atomic_shared_ptr<int> atomic(cyclic);
    CHECK(atomic.load() == cyclic);
}

// These know that there is no memory before anything would be thrown.
[[maybe_unused]] void check_try_allocate() {
    constexpr std::size_t much = std::numeric_limits<std::size_t>::max() / 32;
    freehold::concurrent_pool_resource concurrent;
    freehold::pool_resource pool;
    for (const std::size_t bytes : {std::size_t{24}, std::size_t{600}, std::size_t{100'000}}) {
        concurrent.deallocate(concurrent.try_allocate(bytes), bytes);
        pool.deallocate(pool.try_allocate(bytes), bytes);
    }
    CHECK(concurrent.try_allocate(much) == nullptr);
    CHECK(pool.try_allocate(much) == nullptr);
    CHECK(freehold::page_cache::shared().try_allocate(much) == nullptr);

    // With no address space left.
    rlimit before{};
    CHECK(getrlimit(RLIMIT_AS, &before) == 0);
    const rlimit none{0, before.rlim_max};
    CHECK(setrlimit(RLIMIT_AS, &none) == 0);
    std::size_t served = 0;
    while (concurrent.try_allocate(5000) != nullptr) ++served;
    while (pool.try_allocate(5000) != nullptr) ++served;
    CHECK(setrlimit(RLIMIT_AS, &before) == 0);
    CHECK(served < 1000);
}

void check_what_would_be_thrown() {
    using std::string_view;
    const auto expired = message_of_abort([] {
        const freehold::weak_ptr<int> weak = freehold::make_shared<int>(7);
        static_cast<void>(freehold::shared_ptr<int>(weak));
    });
    CHECK(expired == "freehold: bad_weak_ptr\n");
    const auto too_large = message_of_abort(
        [] { static_cast<void>(freehold::make_shared<char[]>(std::numeric_limits<std::size_t>::max())); });
    CHECK(string_view(too_large).starts_with("freehold: ") && string_view(too_large).ends_with("\n"));
}

}  // namespace

int main() {
    check_that_everything_works();
#if !defined(FREEHOLD_ADDRESS_SANITIZER) && !defined(__SANITIZE_THREAD__)  // they need address space themselves
    check_try_allocate();
#endif
    check_what_would_be_thrown();
}
