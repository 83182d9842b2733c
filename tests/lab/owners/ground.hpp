#pragma once
// What the programs of this folder have in common: each labels its shared objects, and then waits to be looked at.
//
// A program is started as `PROGRAM TRUTH FATE END ...`. It writes a line for each object to the file TRUTH: the address
// of its control block, the grade that it should get, and its kind. Then it prints "ready".
// FATE says what becomes of structures that can leak:
//   leaks   they leak
//   held    a global owner more holds each of their objects
//   cut     their cycles are cut, so that they are destroyed
// END says what happens after "ready": wait (_exit when standard input ends or brings a byte), exit, _exit or abort.
//
// The labels must not help who looks: no address of a control block is left in memory but in handles.

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "handles.hpp"

namespace ground {

// A static object that is never destroyed: what it holds is held also while exit() ends the program.
template <class T>
union Kept {
    T value;
    Kept() : value() {}
    explicit Kept(T&& from) : value(std::move(from)) {}
    ~Kept() {}
};

enum class Fate { leaks, held, cut };
inline Fate fate = Fate::leaks;

struct Label {
    std::uint64_t hidden;  // the address of the control block, encoded: see hide
    const char* grade;
    const char* kind;
};

inline constexpr std::uint64_t key = 0xa5a5'5a5a'c3c3'3c3c;  // makes no address of an address

// Not in the heap: what is behind the end of a vector there is the memory of freed objects, with their handles.
inline std::array<Label, 100'000> labels;
inline std::size_t label_count = 0;
inline Kept<std::vector<sp::shared_ptr<void>>> keepers;

// Effects: makes the compiler believe that anybody may read and write the object.
inline void expose(const void* object) noexcept { asm volatile("" : : "r"(object) : "memory"); }

// Returns: the address of the control block, encoded. It is the second word of a handle in all libraries.
template <class Handle>
[[nodiscard]] std::uint64_t hide(const Handle& handle) noexcept {
    std::array<std::uint64_t, 2> words;
    static_assert(sizeof handle == sizeof words);
    std::memcpy(words.data(), static_cast<const void*>(&handle), sizeof words);
    return words[1] ^ key;
}

template <class Handle>
void label(const Handle& handle, const char* grade, const char* kind) {
    if (label_count == labels.size()) std::abort();
    labels[label_count++] = {hide(handle), grade, kind};
}

template <class T>
void keep(const sp::shared_ptr<T>& owner) {
    // The aliasing constructor, since one of these libraries doesn't convert arrays to void.
    void* const object = const_cast<void*>(static_cast<const void*>(owner.get()));
    keepers.value.push_back(sp::shared_ptr<void>(owner, object));
}

// Effects: labels the objects of a structure that owns itself, of which the caller has the last other owners; or calls
// cut(), which makes it own itself no longer.
template <class Cut, class... T>
void leak_as(const char* grade, const char* kind, Cut cut, const sp::shared_ptr<T>&... owners) {
    if (fate == Fate::cut) return cut();
    (label(owners, fate == Fate::leaks ? grade : "held", kind), ...);
    if (fate == Fate::held) (keep(owners), ...);
}

template <class Cut, class... T>
void leak(const char* kind, Cut cut, const sp::shared_ptr<T>&... owners) {
    leak_as("leaked", kind, cut, owners...);
}

// Effects: clears the stack below the caller, where old handles are.
[[gnu::noinline]] inline void scrub() noexcept {
    volatile char area[256 * 1024];
    for (volatile char& each : area) each = 0;
}

struct Past {
    sp::shared_ptr<Past> before;
    std::vector<sp::shared_ptr<Past>> others;
};

// Effects: makes and frees 2,000 objects, so that free memory is full of old handles.
[[gnu::noinline]] inline void make_history() {
    std::minstd_rand random(7);
    std::vector<sp::shared_ptr<Past>> all;
    for (int i = 0; i < 2000; ++i) {
        auto next = i % 3 ? sp::make_shared<Past>() : sp::shared_ptr<Past>(new Past);
        if (i > 0) {
            next->before = all[random() % all.size()];
            next->others.resize(random() % 6, all[random() % all.size()]);
        }
        all.push_back(std::move(next));
    }
    std::shuffle(all.begin(), all.end(), random);
}

[[gnu::noinline]] inline void write_labels(const char* path) {
    std::FILE* const file = std::fopen(path, "w");
    if (!file) std::abort();
    for (std::size_t i = 0; i < label_count; ++i) {
        const Label& each = labels[i];
        std::fprintf(file, "%llx %s %s\n", static_cast<unsigned long long>(each.hidden ^ key), each.grade, each.kind);
    }
    std::fclose(file);
}

inline void choose_fate(std::string_view name) {
    fate = name == "held" ? Fate::held : name == "cut" ? Fate::cut : Fate::leaks;
}

// Effects: says that the program can be looked at, and ends it as `end` says.
[[noreturn]] inline void stand_by(std::string_view end) {
    scrub();
    if (write(STDOUT_FILENO, "ready\n", 6) != 6) std::abort();
    if (end == "abort") std::abort();
    if (end == "exit") std::exit(0);
    char byte;
    while (end == "wait" && read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR) {
    }
    _exit(0);
}

// Effects: stays in the caller's frame for ever, as a thread of a server does.
[[noreturn]] inline void park() {
    for (;;) pause();
}

}
