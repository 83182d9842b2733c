// What a full collection tells, without NDEBUG, of pointers that no trace sees.
// tests/unit/traced/traced_hidden_words.cpp has those that it must not tell of.

#include <freehold/traced.hpp>

#include <array>
#include <cstdlib>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "support/hidden_pointers.hpp"
#include "support/precondition.hpp"

namespace {

using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;
using freehold::traced_view;
using support::hidden::copied_as_bytes;
using support::hidden::node;
using support::hidden::one_of;
using support::hidden::point;

template <class Part>
struct holder {
    traced_ptr<node> other;
    Part part;
};

struct flat_with_variant {
    std::variant<int, const node*> either;
};

template <class Part>
class names_it {
public:
    explicit names_it(Part part) : part_(std::move(part)) {}
    void trace(auto& visit) const { visit(next_, part_); }

private:
    traced_ptr<node> next_;
    Part part_;
};

// Effects: collects while an object of the heap holds what `make_part` makes of an object that nothing else holds.
template <class Target = node, class Make>
void hide(Make make_part) {
    traced_heap heap;
    auto part = [&] { return make_part(traced_view<Target>(heap.make<Target>())); }();
    const auto kept = heap.make<holder<decltype(part)>>(nullptr, std::move(part));
    heap.collect();
}

}  // namespace

TEST(traced_hidden_words_death, a_closure_that_captured_a_view) {
    EXPECT_PRECONDITION(hide([](traced_view<node> view) { return [view] { return view->value; }; }),
                        "no_hidden_pointer_leads_to_a_freed_object");
}

TEST(traced_hidden_words_death, a_closure_that_captured_a_raw_pointer) {
    EXPECT_PRECONDITION(hide([](traced_view<node> view) { return [raw = view.get()] { return raw->value; }; }),
                        "no_hidden_pointer_leads_to_a_freed_object");
}

TEST(traced_hidden_words_death, a_closure_that_captured_a_reference) {
    EXPECT_PRECONDITION(hide([](traced_view<node> view) { return [&node = *view] { return node.value; }; }),
                        "no_hidden_pointer_leads_to_a_freed_object");
}

TEST(traced_hidden_words_death, a_private_member_that_is_copied_as_bytes) {
    EXPECT_PRECONDITION(hide([](traced_view<node> view) { return copied_as_bytes(view.get()); }),
                        "no_hidden_pointer_leads_to_a_freed_object");
}

TEST(traced_hidden_words_death, a_union) {
    EXPECT_PRECONDITION(hide([](traced_view<node> view) { return one_of{view.get()}; }),
                        "no_hidden_pointer_leads_to_a_freed_object");
}

TEST(traced_hidden_words_death, a_variant_in_bytes) {
    if (!freehold::detail::may_hide_words<flat_with_variant>) GTEST_SKIP() << "this compiler can't clear its padding";
    EXPECT_PRECONDITION(hide([](traced_view<node> view) { return flat_with_variant{view.get()}; }),
                        "no_hidden_pointer_leads_to_a_freed_object");
}

TEST(traced_hidden_words_death, a_raw_pointer_to_what_holds_no_pointers) {
    EXPECT_PRECONDITION(hide<point>([](traced_view<point> view) { return view.get(); }),
                        "no_hidden_pointer_leads_to_a_freed_object");
    EXPECT_PRECONDITION(hide<point>([](traced_view<point> view) { return &view->y; }),
                        "no_hidden_pointer_leads_to_a_freed_object");
    EXPECT_PRECONDITION(hide([](traced_view<node> view) { return static_cast<void*>(view.get()); }),
                        "no_hidden_pointer_leads_to_a_freed_object");
}

TEST(traced_hidden_words_death, inside_of_other_parts) {
    const auto of = [](traced_view<node> view) { return copied_as_bytes(view.get()); };
    EXPECT_PRECONDITION(hide([&](traced_view<node> view) { return std::array{of(view)}; }),
                        "no_hidden_pointer_leads_to_a_freed_object");
    EXPECT_PRECONDITION(hide([&](traced_view<node> view) { return std::optional(of(view)); }),
                        "no_hidden_pointer_leads_to_a_freed_object");
    EXPECT_PRECONDITION(hide([&](traced_view<node> view) { return std::pair(1, of(view)); }),
                        "no_hidden_pointer_leads_to_a_freed_object");
    EXPECT_PRECONDITION(hide([&](traced_view<node> view) { return std::variant<int, copied_as_bytes>(of(view)); }),
                        "no_hidden_pointer_leads_to_a_freed_object");
    EXPECT_PRECONDITION(hide([&](traced_view<node> view) { return std::vector(3, of(view)); }),
                        "no_hidden_pointer_leads_to_a_freed_object");
}

TEST(traced_hidden_words_death, a_member_that_trace_names) {
    const auto misuse = [] {
        traced_heap heap;
        const copied_as_bytes part(heap.make<node>().get());
        const auto kept = heap.make<names_it<copied_as_bytes>>(part);
        heap.collect();
    };
    EXPECT_PRECONDITION(misuse(), "no_hidden_pointer_leads_to_a_freed_object");
}

TEST(traced_hidden_words_death, an_element_of_an_array) {
    const auto misuse = [](std::size_t size) {
        traced_heap heap;
        const copied_as_bytes part(heap.make<node>().get());
        const auto kept = heap.make_array<holder<copied_as_bytes>>(size, holder<copied_as_bytes>{nullptr, part});
        heap.collect();
    };
    EXPECT_PRECONDITION(misuse(1), "no_hidden_pointer_leads_to_a_freed_object");
    EXPECT_PRECONDITION(misuse(10'000), "no_hidden_pointer_leads_to_a_freed_object");
}

TEST(traced_hidden_words_death, an_object_that_died_in_an_earlier_young_collection) {
    const auto misuse = [] {
        traced_heap heap;
        const copied_as_bytes part(heap.make<node>().get());
        const auto kept = heap.make<holder<copied_as_bytes>>(nullptr, part);
        heap.collect_young();
        heap.collect();
    };
    EXPECT_PRECONDITION(misuse(), "no_hidden_pointer_leads_to_a_freed_object");
}

TEST(traced_hidden_words_death, with_their_type_and_offset) {
    if (!freehold::detail::may_hide_words<copied_as_bytes>) GTEST_SKIP() << "nothing is checked";
    const auto misuse = [] {
        traced_heap heap;
        const auto neighbor = heap.make<node>();
        const copied_as_bytes part(heap.make<node>().get());
        const auto kept = heap.make<holder<copied_as_bytes>>(nullptr, part);
        heap.collect();
    };
    EXPECT_DEATH(misuse(), "at offset 8 of a .*holder<.* is the address of a freed object \\(.*node\\)");
}
