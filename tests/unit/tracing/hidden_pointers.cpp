// What is told to hide traced pointers from a traced_heap, and what is not. That it does not compile is tested in
// tests/compile_fail/traced.

#include <gtest/gtest.h>
#include <freehold/tracing/hidden_pointers.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <freehold/pointers.hpp>
#include <freehold/traced.hpp>

#include "support/flat_map.hpp"

namespace {

using freehold::traced_ptr;

struct node {
    traced_ptr<node> next;
};

struct family {
    std::vector<traced_ptr<node>> members;
};

class counted : public freehold::ref_counted<counted> {
public:
    void trace(auto& visit) const { visit(next_); }

private:
    traced_ptr<node> next_;
};

struct deeper {
    int number;
    std::optional<std::vector<family>> families;
};

struct incomplete;

class opaque {
public:
    opaque() : number_(0) {}
    opaque(const opaque& other) : number_(other.number_) {}

private:
    int number_;
};

struct flat {
    int number;
    const char* text;
    opaque* foreign;
    incomplete* unknown;
    void (*function)(node*);
    int grid[3][4];
};

struct flat_with_union {
    int tag;
    union {
        double number;
        const char* text;
    };
    int rest;
};

struct flat_with_node {
    int number;
    node* raw;
};

struct flat_with_array {
    int number;
    flat_with_node entries[2];
};

// Trivially copyable, and no aggregate.
template <class T>
class copied_as_bytes {
public:
    explicit copied_as_bytes(T given) : value_(given) {}

private:
    T value_;
};

union one_of {
    node* raw;
    long number;
};

struct flat_with_variant {
    std::variant<int, node*> either;
};

// Returns: an object of a class that captures them.
[[maybe_unused]] auto closure_of(node* raw, freehold::traced_view<node> view, node& referred) {
    return [raw, view, &referred] { return raw == view.get() || raw == &referred; };
}

template <class Part>
struct object {
    traced_ptr<node> next;
    Part part;
};

// The type in an object that has the part, among others, which hides pointers; void if none does.
template <class Part>
using hiding = typename decltype(freehold::detail::find_hiding(freehold::detail::type_list<object<Part>>()))::type;

template <class Part>
inline constexpr bool hides = std::is_same_v<hiding<Part>, Part>;
template <class Part>
inline constexpr bool hides_nothing = std::is_void_v<hiding<Part>>;

}  // namespace

TEST(hidden_pointers, are_asked_for_by_type) {
    static_assert(freehold::hides_traced<object<node*>>);
    static_assert(!freehold::hides_traced<object<int>>);
}

TEST(hidden_pointers, behind_an_owner_that_does_not_collect) {
    static_assert(hides<std::shared_ptr<node>>);
    static_assert(hides<std::shared_ptr<const node>>);
    static_assert(hides<std::shared_ptr<node[]>>);
    static_assert(hides<std::weak_ptr<node>>);
    static_assert(hides<freehold::shared_ptr<node>>);
    static_assert(hides<freehold::weak_ptr<node>>);
    static_assert(hides<freehold::local_shared_ptr<node>>);
    static_assert(hides<freehold::biased_shared_ptr<node>>);
    static_assert(hides<freehold::thin_ptr<node>>);
    static_assert(hides<freehold::intrusive_ptr<counted>>);
    static_assert(hides<freehold::linked_ptr<node>>);
    static_assert(hides<freehold::managed_ptr<node>>);
    static_assert(hides<freehold::borrowed_ptr<node>>);
}

TEST(hidden_pointers, behind_an_atomic_pointer) {
    static_assert(hides<std::atomic<node*>>);
    static_assert(hides<freehold::atomic_shared_ptr<node>>);
}

TEST(hidden_pointers, behind_a_raw_pointer_or_a_view) {
    static_assert(hides<node*>);
    static_assert(hides<const node*>);
    static_assert(hides<std::reference_wrapper<node>>);
    static_assert(hides<std::span<traced_ptr<node>>>);
    static_assert(hides<freehold::traced_view<int>>);
}

TEST(hidden_pointers, deep_behind_an_owner) {
    static_assert(hides<std::shared_ptr<deeper>>);
    static_assert(hides<std::shared_ptr<std::map<int, std::shared_ptr<deeper>>>>);
    static_assert(hides<std::shared_ptr<std::variant<int, deeper>>>);
    static_assert(hides<std::shared_ptr<std::pair<int, std::unique_ptr<deeper>>>>);
}

TEST(hidden_pointers, inside_of_other_parts) {
    static_assert(std::is_same_v<hiding<std::vector<std::shared_ptr<node>>>, std::shared_ptr<node>>);
    static_assert(std::is_same_v<hiding<std::map<std::string, node*>>, node*>);
    static_assert(std::is_same_v<hiding<std::optional<node*>>, node*>);
    static_assert(std::is_same_v<hiding<std::variant<int, node*>>, node*>);
    static_assert(std::is_same_v<hiding<std::array<node*, 2>>, node*>);
    static_assert(std::is_same_v<hiding<node* [3]>, node*>);
    static_assert(hides<flat_with_node>);
    static_assert(hides<flat_with_array>);
}

TEST(hidden_pointers, are_not_in_what_leads_nowhere) {
    static_assert(hides_nothing<int>);
    static_assert(hides_nothing<std::string>);
    static_assert(hides_nothing<flat>);
    static_assert(hides_nothing<flat_with_union>);
    static_assert(hides_nothing<std::FILE*>);
    static_assert(hides_nothing<void*>);
    static_assert(hides_nothing<int (*)(node*)>);
    static_assert(hides_nothing<opaque*>);
    static_assert(hides_nothing<incomplete*>);
    static_assert(hides_nothing<std::shared_ptr<int>>);
    static_assert(hides_nothing<std::shared_ptr<void>>);
    static_assert(hides_nothing<std::shared_ptr<incomplete>>);
    static_assert(hides_nothing<std::shared_ptr<opaque>>);
    static_assert(hides_nothing<std::atomic<int>>);
    static_assert(hides_nothing<std::span<int>>);
}

TEST(hidden_pointers, are_not_found_in_a_closure) {
    static_assert(hides_nothing<decltype(closure_of(std::declval<node*>(), nullptr, std::declval<node&>()))>);
}

TEST(hidden_pointers, are_not_found_in_a_private_member_that_is_copied_as_bytes) {
    static_assert(hides_nothing<copied_as_bytes<node*>>);
    static_assert(hides_nothing<copied_as_bytes<freehold::traced_view<node>>>);
}

TEST(hidden_pointers, are_not_found_where_it_is_not_known_which_member_there_is) {
    static_assert(hides_nothing<one_of>);
    static_assert(hides_nothing<flat_with_variant>);
}

TEST(hidden_pointers, are_not_found_in_a_number) {
    static_assert(hides_nothing<std::uintptr_t>);
    static_assert(hides_nothing<std::array<std::byte, sizeof(node*)>>);
}

TEST(hidden_pointers, are_not_in_what_is_traced) {
    static_assert(hides_nothing<node>);
    static_assert(hides_nothing<std::vector<family>>);
    static_assert(hides_nothing<std::unique_ptr<family>>);
    static_assert(hides_nothing<freehold::traced_root<node>>);
    static_assert(hides_nothing<freehold::traced_weak_ptr<node>>);
}

TEST(hidden_pointers, are_found_behind_a_proxy) {
    static_assert(hides_nothing<support::flat_map<int, traced_ptr<node>>>);
    static_assert(hides_nothing<support::flat_map<int, std::string>>);
    static_assert(!hides_nothing<support::flat_map<int, std::shared_ptr<family>>>);
    static_assert(!hides_nothing<std::shared_ptr<support::flat_map<int, traced_ptr<node>>>>);
}

TEST(hidden_pointers, are_not_in_what_is_declared_untraced) {
    static_assert(hides_nothing<freehold::untraced<node*>>);
    static_assert(hides_nothing<freehold::untraced<std::shared_ptr<family>>>);
}
