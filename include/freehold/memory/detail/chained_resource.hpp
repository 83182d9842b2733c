#pragma once
// The bases of resources: basic_resource implements the virtual functions of std::pmr by Derived's own, and
// chained_resource also holds the upstream that a resource takes its memory from.

#include <cstddef>
#include <memory_resource>

#include "../../core/assert.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/type_name.hpp"

namespace freehold::inline v0_2::detail {

template <class Derived>
class chained_resource;

template <class Derived>
class basic_resource : public std::pmr::memory_resource {
    friend Derived;
    friend chained_resource<Derived>;

    basic_resource() noexcept = default;

    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        return static_cast<Derived*>(this)->allocate(bytes, alignment);
    }

    void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
        static_cast<Derived*>(this)->deallocate(block, bytes, alignment);
    }

    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }
};

template <class Derived>
class chained_resource : public basic_resource<Derived> {
public:
    chained_resource(const chained_resource&) = delete;  // NOLINT(bugprone-crtp-constructor-accessibility): deleted
    chained_resource& operator=(const chained_resource&) = delete;

    [[nodiscard]] std::pmr::memory_resource* upstream_resource() const noexcept { return upstream_; }

    // Returns: what allocate(bytes, alignment) returns, or null where it throws. Without exceptions (-fno-exceptions)
    // the program is aborted there, unless Derived has a try_allocate of its own.
    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        return detail::try_allocate(*static_cast<Derived*>(this), bytes, alignment);
    }

private:
    friend Derived;

    explicit chained_resource(std::pmr::memory_resource* upstream) noexcept : upstream_(upstream) {
        FREEHOLD_EXPECTS(upstream != nullptr, "the upstream resource is a null pointer", type_name<Derived>);
    }

    std::pmr::memory_resource* upstream_;
};

}  // namespace freehold::detail
