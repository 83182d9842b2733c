// Pointers that no trace sees, of which a collection must not tell. tests/death/traced_hidden_words.cpp has the others.

#include <gtest/gtest.h>
#include <freehold/traced.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "support/hidden_pointers.hpp"

namespace {

using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;
using freehold::traced_view;
using freehold::detail::may_hide_words;
using support::hidden::copied_as_bytes;
using support::hidden::node;
using support::hidden::one_of;
using support::hidden::point;

template <class Part>
struct holder {
    Part part;
    traced_ptr<node> other = {};
};

struct declared {
    int number = 0;
    freehold::untraced<const node*> raw;
};

struct holds_declared {
    declared part;
    const point* other = nullptr;
};

// A child that knows its parent by a pointer that no trace sees.
struct tree {
    std::vector<traced_ptr<tree>> children;
    freehold::untraced<tree*> parent = nullptr;
    copied_as_bytes label{nullptr};
};

// Unlinks itself when it is destroyed.
struct hook {
    hook* next = this;
    hook* previous = this;
};

class linked {
public:
    explicit linked(hook& list) noexcept {
        own_.next = list.next;
        own_.previous = &list;
        list.next->previous = &own_;
        list.next = &own_;
    }
    linked(const linked&) = delete;
    linked& operator=(const linked&) = delete;
    ~linked() {
        own_.next->previous = own_.previous;
        own_.previous->next = own_.next;
    }
    void trace(auto& visit) const { visit(next, own_); }

    traced_ptr<linked> next;

private:
    hook own_;
};

// Keeps a part of its bytes unused.
class buffer {
public:
    explicit buffer(int size) : size_(size) {}
    [[nodiscard]] int size() const { return size_; }
    void fill(const void* address) {
        for (std::uintptr_t& each : unused_) each = std::bit_cast<std::uintptr_t>(address);
    }

private:
    int size_;
    std::uintptr_t unused_[6];
};

class has_buffer {
public:
    explicit has_buffer(int size) : part(size) {}
    void trace(auto& visit) const { visit(next, part); }

    traced_ptr<node> next;
    buffer part;
};

// Effects: the freed cells, and the stack, are full of addresses of freed objects.
[[gnu::noinline]] void leave_addresses(traced_heap& heap) {
    for (int i = 0; i < 10'000; ++i) {
        auto part = [raw = heap.make<node>().get(), more = std::array<const void*, 4>()]() mutable {
            more.fill(raw);
            return more[0] == raw;
        };
        static_cast<void>(part());
        auto kept = heap.make<std::array<traced_ptr<node>, 8>>();
        kept->fill(heap.make<node>(i));
    }
    heap.collect();
}

}  // namespace

TEST(traced_hidden_words, are_not_in_numbers_or_what_is_declared) {
    static_assert(!may_hide_words<int>);
    static_assert(!may_hide_words<std::uintptr_t>);
    static_assert(!may_hide_words<std::array<std::byte, 64>>);
    static_assert(!may_hide_words<std::string_view>);
    static_assert(!may_hide_words<point>);
    static_assert(!may_hide_words<node>);
    static_assert(!may_hide_words<std::vector<std::string>>);
    static_assert(!may_hide_words<int (*)(node*)>);
    static_assert(!may_hide_words<freehold::untraced<node*>>);
    static_assert(!may_hide_words<std::shared_ptr<point>>);
    static_assert(!may_hide_words<declared>);
    static_assert(!may_hide_words<holds_declared>);
    static_assert(!may_hide_words<traced_root<node>>);
}

#ifndef NDEBUG

TEST(traced_hidden_words, may_be_in_what_the_language_does_not_show) {
    static_assert(may_hide_words<copied_as_bytes>);
    static_assert(may_hide_words<one_of>);
    static_assert(may_hide_words<point*>);
    static_assert(may_hide_words<void*>);
    static_assert(may_hide_words<std::vector<one_of>>);
    static_assert(may_hide_words<holder<std::optional<copied_as_bytes>>>);
}

#endif

TEST(traced_hidden_words, may_lead_to_what_lives) {
    traced_heap heap;
    const auto target = heap.make<node>(1);
    const auto part = [raw = target.get(), view = traced_view<node>(target)] { return raw == view.get(); };
    const auto kept = heap.make<holder<std::remove_const_t<decltype(part)>>>(part);
    const auto bytes = heap.make<holder<copied_as_bytes>>(copied_as_bytes(target.get()));
    for (int i = 0; i < 3; ++i) heap.collect();
    EXPECT_TRUE(kept->part());
    EXPECT_EQ(bytes->part.get(), target.get());
}

TEST(traced_hidden_words, may_lead_from_a_child_to_its_parent) {
    traced_heap heap;
    const traced_local<tree> root = heap.make<tree>();
    for (int i = 0; i < 1000; ++i) {
        const auto child = heap.make<tree>();
        child->parent = root.get();
        root->children.push_back(child);
        if (i % 7 == 0) root->children.clear();
        if (i % 100 == 0) heap.collect();
    }
    heap.collect();
    EXPECT_EQ(root->children.front()->parent.get(), root.get());
}

TEST(traced_hidden_words, may_dangle_in_garbage_that_a_young_collection_keeps) {
    traced_heap heap;
    const auto old = heap.make<holder<std::vector<traced_ptr<node>>>>();
    heap.collect();
    for (int i = 0; i < 100; ++i) {
        const auto target = heap.make<node>(i);
        const auto kept = heap.make<holder<copied_as_bytes>>(copied_as_bytes(target.get()));
        kept->other = target;
        kept->other = nullptr;
        heap.collect_young();
    }
    heap.collect();
    EXPECT_TRUE(old->part.empty());
}

TEST(traced_hidden_words, may_be_taken_back_by_a_destructor) {
    hook list;  // before the heap, whose last destructors take themselves out of it
    traced_heap heap;
    const traced_local<linked> first = heap.make<linked>(list);
    for (int i = 0; i < 100; ++i) static_cast<void>(heap.make<linked>(list));
    const traced_local<linked> last = heap.make<linked>(list);
    heap.collect();
    EXPECT_EQ(list.next->next->next, &list);
}

TEST(traced_hidden_words, are_not_read_where_nothing_was_written) {
    traced_heap heap;
    leave_addresses(heap);
    std::vector<traced_root<holder<buffer>>> kept;
    std::vector<traced_root<holder<std::optional<copied_as_bytes>>>> empty;
    for (int i = 0; i < 1000; ++i) {
        kept.emplace_back(heap.make<holder<buffer>>(buffer(i)));
        empty.emplace_back(heap.make<holder<std::optional<copied_as_bytes>>>());
    }
    heap.collect();
    EXPECT_EQ(kept[7]->part.size(), 7);
}

TEST(traced_hidden_words, are_not_left_over_in_a_cell) {
    traced_heap heap;
    for (int i = 0; i < 1000; ++i) heap.make<has_buffer>(i)->part.fill(heap.make<node>(i).get());
    heap.collect();
    std::vector<traced_root<has_buffer>> kept;
    for (int i = 0; i < 1000; ++i) kept.emplace_back(heap.make<has_buffer>(i));
    heap.collect();
    EXPECT_EQ(kept[7]->part.size(), 7);
}

TEST(traced_hidden_words, are_not_in_an_inactive_member) {
    traced_heap heap;
    const auto maybe = heap.make<holder<std::optional<copied_as_bytes>>>();
    const auto either = heap.make<holder<std::variant<int, copied_as_bytes>>>();
    maybe->part = copied_as_bytes(heap.make<node>(1).get());
    maybe->part.reset();
    either->part = copied_as_bytes(heap.make<node>(2).get());
    either->part = 3;
    heap.collect();
    EXPECT_EQ(std::get<0>(either->part), 3);
}

TEST(traced_hidden_words, are_not_in_padding) {
    struct padded {
        explicit padded(char given) : small(given) {}
        char small;
        double large = 1;
    };
    traced_heap heap;
    const traced_view<node> freed = heap.make_unrooted<node>(1);
    const auto kept = heap.make<holder<padded>>(padded('\0'));
    const auto word = std::bit_cast<std::array<std::byte, sizeof(void*)>>(freed.get());
    std::memcpy(reinterpret_cast<std::byte*>(&kept->part.small) + 1, word.data() + 1, word.size() - 1);
    heap.collect();
    EXPECT_EQ(kept->part.large, 1);
}

TEST(traced_hidden_words, may_end_a_range_before_a_freed_object) {
    traced_heap heap;
    struct range {
        const point* begin;
        const point* end;
    };
    std::vector<traced_local<point>> points;
    for (int i = 0; i < 100; ++i) points.emplace_back(heap.make<point>(i, i));
    const auto kept = heap.make<holder<range>>(range{points[49].get(), points[49].get() + 2});
    points.resize(50);
    heap.collect();
    EXPECT_EQ(kept->part.begin->x, 49);
}

TEST(traced_hidden_words, may_lead_to_what_a_finalizer_keeps) {
    traced_heap heap;
    const auto kept = [&] {
        const auto target = heap.make<node>(1);
        heap.add_finalizer(target, [](node&) {});
        return heap.make<holder<copied_as_bytes>>(copied_as_bytes(target.get()));
    }();
    heap.collect();
    kept->part = copied_as_bytes(nullptr);
    heap.collect();
}

TEST(traced_hidden_words, may_dangle_where_they_are_declared) {
    traced_heap heap;
    const auto closure = [view = traced_view<node>(heap.make<node>(1))] { return view.get(); };
    const auto kept = heap.make<holder<freehold::untraced<std::remove_const_t<decltype(closure)>>>>(closure);
    heap.collect();
    EXPECT_NE(kept->part.get()(), nullptr);
}
