// Executes single operations of pointers, Freehold's and peers', for callgrind to count: one dump for each, in the
// order in which their names are printed. With the argument "threaded", a second thread exists meanwhile.

#include <freehold/freehold.hpp>
#include <freehold/interop/std_bridge.hpp>

#include <valgrind/callgrind.h>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <boost/smart_ptr/local_shared_ptr.hpp>
#include <boost/smart_ptr/make_local_shared.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <mutex>
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
    asm volatile("" : "+r"(run));  // clang would make a copy of this function for some operations, and inline them
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

// Its destructor may release the last owner of another object.
struct an_owner {
    freehold::shared_ptr<int> other;
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

using atomic = freehold::atomic_shared_ptr<int>;

void snapshot(void* value, void* from) { *static_cast<int*>(value) = *static_cast<const atomic*>(from)->snapshot(); }
void load(void* value, void* from) { *static_cast<int*>(value) = *static_cast<const atomic*>(from)->load(); }
void read_raw_atomic(void* value, void* from) {
    *static_cast<int*>(value) = *static_cast<const std::atomic<int*>*>(from)->load(std::memory_order_acquire);
}
void read_cached(void* value, void* from) {
    *static_cast<int*>(value) = **static_cast<freehold::cached_snapshot<int>*>(from);
}

// Reads what several threads may replace.
void count_atomic_reads() {
    atomic shared(freehold::make_shared<int>(1));
    freehold::cached_snapshot cached(shared);
    int object = 1;
    std::atomic<int*> raw = &object;
    int value = 0;
    snapshot(&value, &shared);
    count("atomic_shared_ptr", "snapshot", snapshot, &value, &shared);
    count("atomic_shared_ptr", "load", load, &value, &shared);
    read_cached(&value, &cached);
    count("atomic_shared_ptr", "cached snapshot", read_cached, &value, &cached);
    count("raw pointer", "atomic read", read_raw_atomic, &value, &raw);
}

// Of more than 4 MiB.
using large_object = std::array<char, std::size_t{5} << 20>;

void hand_over(void* heap, void*) {
    static_cast<freehold::traced_heap*>(heap)->detach();
    static_cast<freehold::traced_heap*>(heap)->attach();
}

struct hazardous : freehold::hazard_pointer_obj_base<hazardous, void (*)(hazardous*)> {
    int value = 1;
};

struct rcu_object : freehold::rcu_obj_base<rcu_object, void (*)(rcu_object*)> {
    int value = 1;
};

void read_raw(void* source, void*) {
    const int value = static_cast<std::atomic<hazardous*>*>(source)->load(std::memory_order_acquire)->value;
    asm volatile("" : : "r"(value));
}

void read_protected(void* source, void* hazard) {
    auto& h = *static_cast<freehold::hazard_pointer*>(hazard);
    const int value = h.protect(*static_cast<std::atomic<hazardous*>*>(source))->value;
    asm volatile("" : : "r"(value));
    h.reset_protection();
}

void make_and_read_protected(void* source, void*) {
    freehold::hazard_pointer h = freehold::make_hazard_pointer();
    const int value = h.protect(*static_cast<std::atomic<hazardous*>*>(source))->value;
    asm volatile("" : : "r"(value));
}

void read_in_region(void* source, void*) {
    const std::scoped_lock region(freehold::rcu_default_domain());
    const int value = static_cast<std::atomic<rcu_object*>*>(source)->load(std::memory_order_acquire)->value;
    asm volatile("" : : "r"(value));
}

// Four times as many as are retired between two heavy fences; their deleters do nothing.
constexpr std::size_t retired_at_once = 16'384;

template <class T>
void retire_all(void* objects, void*) {
    for (std::size_t i = 0; i < retired_at_once; ++i) static_cast<T*>(objects)[i].retire([](T*) {});
}

template <class T>
void count_retirements(const char* name) {
    const auto first = std::make_unique<T[]>(retired_at_once);
    const auto second = std::make_unique<T[]>(retired_at_once);
    retire_all<T>(first.get(), nullptr);
    count(name, "16384 retirements", retire_all<T>, second.get(), nullptr);
    freehold::hazard_pointer_clean_up();
    freehold::rcu_barrier();
}

void count_reads() {
    hazardous object;
    rcu_object in_domain;
    std::atomic<hazardous*> source = &object;
    std::atomic<rcu_object*> domain_source = &in_domain;
    freehold::hazard_pointer h = freehold::make_hazard_pointer();
    make_and_read_protected(&source, nullptr);
    read_in_region(&domain_source, nullptr);
    count("raw pointer", "read", read_raw, &source, nullptr);
    count("hazard_pointer", "read", read_protected, &source, &h);
    count("hazard_pointer", "make and read", make_and_read_protected, &source, nullptr);
    count("rcu_domain", "read", read_in_region, &domain_source, nullptr);
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
    count_all("shared_ptr to an owner", [] { return freehold::make_shared<an_owner>(); });
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
    count_all("shared_ptr from std", [] { return freehold::from_std(std::make_shared<int>(1)); });
    count_all("std::shared_ptr from Freehold", [] { return freehold::to_std(freehold::make_shared<int>(1)); });
    count_all("linked_ptr", [] { return freehold::linked_ptr<int>(new int(1)); });

    count_atomic_reads();

    const auto list = freehold::make_thin<node>(1, freehold::make_thin<node>(2, nullptr));
    int sum = 0;
    count("borrowed_ptr", "walk", walk<freehold::borrowed_ptr<const node>>, &sum, list.get());
    count("raw pointer", "walk", walk<const node*>, &sum, list.get());

    freehold::traced_heap heap;
    hand_over(&heap, nullptr);
    count("traced_heap", "hand over", hand_over, &heap, nullptr);
    const freehold::traced_root<large_object> large = heap.make<large_object>();
    count("traced_heap with a large object", "hand over", hand_over, &heap, nullptr);
    count_reads();
    count_retirements<hazardous>("hazard_pointer");
    count_retirements<rcu_object>("rcu_domain");

    count_all("std::shared_ptr", [] { return std::make_shared<int>(1); });
    count_all("boost::local_shared_ptr", [] { return boost::make_local_shared<int>(1); });
    count_all("boost::intrusive_ptr_plain", [] {
        using object = boost_counted<boost::thread_unsafe_counter>;
        return boost::intrusive_ptr<object>(new object);
    });
    end.release();
}
