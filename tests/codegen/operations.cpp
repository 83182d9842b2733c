// Executes single operations of pointers, Freehold's and peers', for callgrind to count: one dump for each, in the
// order in which their names are printed. With the argument "threaded", a second thread exists meanwhile.

#include <freehold/freehold.hpp>

#include <valgrind/callgrind.h>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <boost/smart_ptr/local_shared_ptr.hpp>
#include <boost/smart_ptr/make_local_shared.hpp>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <new>
#include <semaphore>
#include <string_view>
#include <thread>

namespace {

// Every operation is called in the same way, so that counts differ by what it executes alone.
using operation = void (*)(void* place, void* from);

template <class Pointer>
void copy(void* place, void* from) {
    ::new (place) Pointer(*static_cast<const Pointer*>(from));
}

template <class Pointer>
void release(void* place, void*) {
    static_cast<Pointer*>(place)->~Pointer();
}

template <class Pointer, class Make>
void create(void* place, void*) {
    ::new (place) Pointer(Make()());
}

template <class Weak>
void lock(void* place, void* from) {
    ::new (place) auto(static_cast<const Weak*>(from)->lock());
}

[[gnu::noinline]] void count(const char* pointer, const char* name, operation run, void* place, void* from) {
    std::printf("%s %s\n", pointer, name);
    CALLGRIND_TOGGLE_COLLECT;
    run(place, from);
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS;
}

template <class Make>
void count_weak(const char* name, Make) {
    using pointer = decltype(Make()());
    using weak = typename pointer::weak_type;
    alignas(pointer) std::byte owner[sizeof(pointer)];
    alignas(pointer) std::byte locked[sizeof(pointer)];
    create<pointer, Make>(owner, nullptr);
    weak watch = *reinterpret_cast<pointer*>(owner);
    lock<weak>(locked, &watch);
    release<pointer>(locked, nullptr);

    count(name, "lock", lock<weak>, locked, &watch);
    release<pointer>(locked, nullptr);
    count(name, "last release beside a weak pointer", release<pointer>, owner, nullptr);
    count(name, "lock of an expired object", lock<weak>, locked, &watch);
    release<pointer>(locked, nullptr);
}

template <class Make>
void count_all(const char* name, Make) {
    using pointer = decltype(Make()());
    alignas(pointer) std::byte owner[sizeof(pointer)];
    alignas(pointer) std::byte copied[sizeof(pointer)];

    // The first time fills caches and resolves symbols.
    create<pointer, Make>(owner, nullptr);
    copy<pointer>(copied, owner);
    release<pointer>(copied, nullptr);
    release<pointer>(owner, nullptr);

    count(name, "create", create<pointer, Make>, owner, nullptr);
    count(name, "copy", copy<pointer>, copied, owner);
    count(name, "release", release<pointer>, copied, nullptr);
    count(name, "last release", release<pointer>, owner, nullptr);
    if constexpr (requires { typename pointer::weak_type; }) count_weak(name, Make());
}

template <class Counting>
struct counted : freehold::ref_counted<counted<Counting>, Counting> {
    int value = 0;
};

struct node {
    int value;
    freehold::thin_ptr<node> next;
};

const node* next_of(const node* list) { return list->next.get(); }
freehold::borrowed_ptr<const node> next_of(freehold::borrowed_ptr<const node> list) { return list->next; }

// Looks at a list of nodes through a View.
template <class View>
void walk(void* sum, void* list) {
    for (View at(static_cast<const node*>(list)); at; at = next_of(at)) *static_cast<int*>(sum) += at->value;
}

template <class Counter>
struct boost_counted : boost::intrusive_ref_counter<boost_counted<Counter>, Counter> {
    int value = 0;
};

}  // namespace

int main(int argc, char** argv) {
    std::binary_semaphore end(0);
    std::jthread parked;
    if (argc > 1 && std::string_view(argv[1]) == "threaded") parked = std::jthread([&end] { end.acquire(); });

    count_all("shared_ptr", [] { return freehold::make_shared<int>(1); });
    count_all("local_shared_ptr", [] { return freehold::make_local_shared<int>(1); });
    count_all("biased_shared_ptr", [] { return freehold::make_biased_shared<int>(1); });
    count_all("biased_shared_ptr elsewhere", [] {
        auto made = freehold::make_biased_shared<int>(1);
        freehold::leave_biased_counts();
        return made;
    });
    count_all("sharded_shared_ptr", [] { return freehold::make_sharded_shared<int>(1); });
    count_all("sharded_shared_ptr, open", [] {
        auto made = freehold::make_sharded_shared<int>(1);
        freehold::open_shards(made);
        return made;
    });
    count_all("intrusive_ptr", [] { return freehold::make_intrusive<counted<freehold::atomic_counting>>(); });
    count_all("intrusive_ptr_plain", [] { return freehold::make_intrusive<counted<freehold::plain_counting>>(); });
    count_all("linked_ptr", [] { return freehold::linked_ptr<int>(new int(1)); });

    const auto list = freehold::make_thin<node>(1, freehold::make_thin<node>(2, nullptr));
    int sum = 0;
    count("borrowed_ptr", "walk", walk<freehold::borrowed_ptr<const node>>, &sum, list.get());
    count("raw pointer", "walk", walk<const node*>, &sum, list.get());

    count_all("std::shared_ptr", [] { return std::make_shared<int>(1); });
    count_all("boost::local_shared_ptr", [] { return boost::make_local_shared<int>(1); });
    count_all("boost::intrusive_ptr_plain", [] {
        using object = boost_counted<boost::thread_unsafe_counter>;
        return boost::intrusive_ptr<object>(new object);
    });
    end.release();
}
