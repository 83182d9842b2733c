#pragma once
// The table of diagnosed objects, and how to find the owners in one.

#include <concepts>
#include <cstddef>
#include <map>
#include <mutex>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../../core/type_name.hpp"
#include "../../pointers/intrusive_ptr.hpp"
#include "../../tracing/trace.hpp"

namespace freehold::inline v0_2::detail {

template <class T>
inline constexpr bool is_intrusive = false;
template <class T>
inline constexpr bool is_intrusive<intrusive_ptr<T>> = true;

// Whether Pointer counts the owners of its object, as Freehold's, the standard's and Boost's do.
template <class Pointer>
inline constexpr bool counts_owners = is_intrusive<Pointer>;
template <class Pointer>
    requires requires(const Pointer& pointer) {
        typename Pointer::element_type;
        pointer.get();
        { pointer.use_count() } -> std::convertible_to<long>;
    }
inline constexpr bool counts_owners<Pointer> = std::is_copy_constructible_v<Pointer>;

// Returns: the number of owners of the pointer's object. Requires: it is not null.
template <class Pointer>
[[nodiscard]] long owners_of(const Pointer& pointer) {
    if constexpr (is_intrusive<Pointer>) {
        return pointer->use_count();
    } else {
        return pointer.use_count();
    }
}

// An owner that was found in an object: its target, and the number of the target's owners.
struct found_owner {
    const void* target;
    long owners;
};

// Collects the owners in an object.
class owner_visitor {
public:
    template <class Pointer>
    static constexpr bool follows = counts_owners<Pointer>;

    template <class Pointer>
    void operator()(const Pointer& pointer) {
        if (pointer.get() != nullptr) found.push_back({pointer.get(), detail::owners_of(pointer)});
    }

    std::vector<found_owner> found;
};

// The description of a type of diagnosed objects.
struct diagnosed_type {
    std::size_t bytes;
    std::string_view name;
    // Effects: passes the owners in the object to the visitor.
    void (*trace)(const void* object, owner_visitor& visitor);
};

template <class T>
struct diagnosed {
    static void trace(const void* object, owner_visitor& visitor) {
        freehold::trace(*static_cast<const T*>(object), visitor);
    }

    static constexpr characters name = detail::name_of<T>();
    static constexpr diagnosed_type type{sizeof(T), {name.begin, name.length}, trace};
};

// Thread safety: full.
class diagnosed_objects {
public:
    struct object {
        const diagnosed_type* type;
        unsigned long number;  // in the order in which they were made
    };
    using table = std::map<const void*, object>;

    // Never destroyed, so that a report at the program's exit finds it.
    [[nodiscard]] static diagnosed_objects& of_the_program() {
        static auto* const all = new diagnosed_objects;
        return *all;
    }

    // Throws: std::bad_alloc; then nothing has changed.
    void add(const void* address, const diagnosed_type& type) {
        const std::lock_guard lock(mutex_);
        table_.emplace(address, object{&type, made_ + 1});
        ++made_;
    }

    void remove(const void* address) noexcept {
        const std::lock_guard lock(mutex_);
        table_.erase(address);
    }

    [[nodiscard]] table all() const {
        const std::lock_guard lock(mutex_);
        return table_;
    }

private:
    mutable std::mutex mutex_;
    table table_;
    unsigned long made_ = 0;
};

}  // namespace freehold::detail
