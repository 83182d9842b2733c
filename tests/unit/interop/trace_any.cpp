#include <gtest/gtest.h>
#include <freehold/interop/trace_any.hpp>

#include <any>
#include <string>
#include <utility>
#include <vector>

#include <freehold/traced/traced_heap.hpp>

#include "support/precondition.hpp"

namespace {

using freehold::traced_ptr;

struct number {
    int value = 0;
};

class property {
public:
    void trace(auto& visit) const {
        freehold::trace_any<traced_ptr<number>, std::vector<traced_ptr<number>>, std::string>(value, visit);
    }

    std::any value;
};

}  // namespace

TEST(trace_any, keeps_what_a_pointer_in_it_leads_to) {
    freehold::traced_heap heap;
    const auto object = heap.make<property>();
    object->value = traced_ptr<number>(heap.make<number>(1));
    heap.collect();
    EXPECT_EQ(std::any_cast<const traced_ptr<number>&>(object->value)->value, 1);
}

TEST(trace_any, keeps_what_a_container_in_it_leads_to) {
    freehold::traced_heap heap;
    const auto object = heap.make<property>();
    std::vector<traced_ptr<number>> several = {heap.make<number>(1), heap.make<number>(2)};
    object->value = std::move(several);
    heap.collect();
    EXPECT_EQ(std::any_cast<const std::vector<traced_ptr<number>>&>(object->value)[1]->value, 2);
}

TEST(trace_any, takes_one_that_is_empty_or_holds_a_leaf) {
    freehold::traced_heap heap;
    const auto object = heap.make<property>();
    heap.collect();
    object->value = std::string("text");
    heap.collect();
    EXPECT_EQ(std::any_cast<std::string>(object->value), "text");
}

TEST(trace_any_death, a_type_that_is_not_in_the_list) {
    const auto misuse = [] {
        freehold::traced_heap heap;
        const auto object = heap.make<property>();
        object->value = 1;
        heap.collect();
    };
    EXPECT_PRECONDITION(misuse(), "the_type_is_in_the_list");
}
