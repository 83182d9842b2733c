// Misuses of the containers in a traced heap.

#include <freehold/traced/traced_deque.hpp>
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_map.hpp>
#include <freehold/traced/traced_unordered_map.hpp>
#include <freehold/traced/traced_vector.hpp>

#include <type_traits>
#include <utility>
#include <vector>

#include "support/precondition.hpp"

namespace {

using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;

struct node {
    int value = 0;
    freehold::traced_vector<traced_ptr<node>> children = {};
    freehold::traced_deque<traced_ptr<node>> waiting = {};
    freehold::traced_map<int, traced_ptr<node>> sorted = {};
    freehold::traced_unordered_map<int, traced_ptr<node>> named = {};
};

struct forgets_its_vector {
    freehold::traced_vector<traced_ptr<node>> children = {};
    void trace(auto&) const {}
};

class no_exception {
public:
    explicit no_exception(const traced_local<node>& child) noexcept { children_.push_back(child); }
    void trace(auto& visit) const { visit(children_); }

private:
    freehold::traced_vector<traced_ptr<node>> children_;
};

traced_local<node> filled(traced_heap& heap) {
    const auto made = heap.make<node>();
    for (int i = 0; i < 3; ++i) {
        made->children.push_back(heap.make<node>(i));
        made->waiting.push_back(heap.make<node>(i));
        made->sorted[i] = heap.make<node>(i);
        made->named[i] = heap.make<node>(i);
    }
    return made;
}

}  // namespace

TEST(traced_containers_death, a_container_grows_outside_of_an_object) {
    traced_heap heap;
    const traced_local<node> object = heap.make<node>();
    freehold::traced_vector<traced_ptr<node>> vector;
    EXPECT_PRECONDITION(vector.push_back(object), "the_container_is_in_an_object_of_a_heap");
    EXPECT_PRECONDITION(vector.reserve(1), "the_container_is_in_an_object_of_a_heap");
    freehold::traced_deque<traced_ptr<node>> deque;
    EXPECT_PRECONDITION(deque.push_front(object), "the_container_is_in_an_object_of_a_heap");
    freehold::traced_map<int, traced_ptr<node>> map;
    EXPECT_PRECONDITION(map[1], "the_container_is_in_an_object_of_a_heap");
    freehold::traced_unordered_map<int, traced_ptr<node>> unordered;
    EXPECT_PRECONDITION(unordered[1], "the_container_is_in_an_object_of_a_heap");
}

TEST(traced_containers_death, a_container_is_copied_to_a_variable) {
    traced_heap heap;
    const traced_local<node> object = filled(heap);
    const auto copy = [](const auto& all) { static_cast<void>(std::remove_cvref_t<decltype(all)>(all)); };
    EXPECT_PRECONDITION(copy(object->children), "the_container_is_in_an_object_of_a_heap");
    EXPECT_PRECONDITION(copy(object->waiting), "the_container_is_in_an_object_of_a_heap");
    EXPECT_PRECONDITION(copy(object->sorted), "the_container_is_in_an_object_of_a_heap");
    EXPECT_PRECONDITION(copy(object->named), "the_container_is_in_an_object_of_a_heap");
}

TEST(traced_containers_death, a_container_in_a_container_of_the_standard_grows) {
    struct rows {
        std::vector<freehold::traced_vector<int>> all = std::vector<freehold::traced_vector<int>>(3);
    };
    traced_heap heap;
    const traced_local<rows> object = heap.make<rows>();
    EXPECT_PRECONDITION(object->all[1].push_back(1), "the_container_is_in_an_object_of_a_heap");
}

TEST(traced_containers_death, a_container_grows_in_another_thread) {
    traced_heap heap;
    node* const object = heap.make_unrooted<node>().get();
    heap.detach();
    EXPECT_PRECONDITION(object->children.resize(1), "the_container_is_in_an_object_of_a_heap");
    heap.attach();
}

TEST(traced_containers_death, a_container_is_not_indexed_beyond_its_end) {
    traced_heap heap;
    const traced_local<node> object = filled(heap);
    EXPECT_PRECONDITION(object->children[3], "i < size\\(\\)");
    EXPECT_PRECONDITION(object->waiting[3], "i < size\\(\\)");
    const traced_local<node> empty = heap.make<node>();
    EXPECT_PRECONDITION(empty->children.front(), "i < size\\(\\)");
    EXPECT_PRECONDITION(empty->children.back(), "i < size\\(\\)");
    EXPECT_PRECONDITION(empty->children.pop_back(), "i < size\\(\\)");
    EXPECT_PRECONDITION(empty->waiting.pop_front(), "i < size\\(\\)");
    EXPECT_PRECONDITION(*object->waiting.end(), "i < size\\(\\)");
    EXPECT_PRECONDITION(*object->sorted.end(), "i < size\\(\\)");
    EXPECT_PRECONDITION(*object->named.end(), "i < size\\(\\)");
}

TEST(traced_containers_death, a_position_is_one_of_the_container) {
    traced_heap heap;
    const traced_local<node> one = filled(heap);
    const traced_local<node> other = filled(heap);
    EXPECT_PRECONDITION(one->children.erase(other->children.begin()), "i <= size\\(\\)");
    EXPECT_PRECONDITION(one->children.erase(one->children.end()), "i <= size\\(\\)");
    EXPECT_PRECONDITION(one->children.insert(one->children.end() + 1, other), "i <= size\\(\\)");
    EXPECT_PRECONDITION(one->waiting.insert(one->waiting.end() + 1, other), "i <= size\\(\\)");
}

TEST(traced_containers_death, an_iterator_of_another_container_is_refused) {
    traced_heap heap;
    const traced_local<node> one = filled(heap);
    const traced_local<node> other = filled(heap);
    EXPECT_PRECONDITION(one->waiting.erase(other->waiting.begin()), "position.container\\(\\) == this");
    EXPECT_PRECONDITION(one->sorted.erase(other->sorted.begin()), "position.container\\(\\) == this");
    EXPECT_PRECONDITION(one->named.erase(other->named.begin()), "position.container\\(\\) == this");
}

TEST(traced_containers_death, a_container_is_given_an_object_of_another_heap) {
    traced_heap heap;
    traced_heap other_heap;
    const traced_local<node> one = filled(heap);
    const traced_local<node> other = filled(other_heap);
    EXPECT_PRECONDITION(one->children.push_back(other), "both_are_in_one_heap");
    EXPECT_PRECONDITION(one->named.try_emplace(7, other), "both_are_in_one_heap");
    EXPECT_PRECONDITION(one->children = other->children, "both_are_in_one_heap");
}

TEST(traced_containers_death, a_container_is_moved_to_another_heap) {
    traced_heap heap;
    traced_heap other_heap;
    const traced_local<node> one = filled(heap);
    const traced_local<node> other = filled(other_heap);
    EXPECT_PRECONDITION(one->children = std::move(other->children), "both_are_in_one_heap");
    EXPECT_PRECONDITION(one->waiting.swap(other->waiting), "both_are_in_one_heap");
    EXPECT_PRECONDITION(one->sorted = std::move(other->sorted), "both_are_in_one_heap");
    EXPECT_PRECONDITION(one->named.swap(other->named), "both_are_in_one_heap");
}

TEST(traced_containers_death, a_container_is_moved_to_a_variable_and_forgotten) {
    const auto misuse = [] {
        traced_heap heap;
        const traced_local<node> object = filled(heap);
        const auto taken = std::move(object->children);
        heap.collect();
        static_cast<void>(taken[0]->value);
    };
    EXPECT_PRECONDITION(misuse(), "a_trace_visits_the_traced_ptr");
}

TEST(traced_containers_death, a_traced_vector_that_trace_forgets) {
    traced_heap heap;
    EXPECT_PRECONDITION(heap.make<forgets_its_vector>(), "trace_visits_every_member");
}

TEST(traced_containers_death, a_noexcept_constructor_fills_a_container) {
    traced_heap heap;
    const traced_local<node> child = heap.make<node>();
    EXPECT_PRECONDITION(heap.make<no_exception>(child), "constructing_without_exceptions == 0");
}

TEST(traced_containers_death, an_unrooted_object_is_assigned_to_an_entry_that_is_added) {
    const auto misuse = [] {
        freehold::traced_heap_options options;
        options.collect_at_every_allocation = true;
        traced_heap heap(options);
        const traced_local<node> object = heap.make<node>();
        object->named[1] = heap.make_unrooted<node>(1);
    };
    EXPECT_PRECONDITION(misuse(), "no_collection_freed_the_object");
}
