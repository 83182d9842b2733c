// Destructors and finalizers of a traced_heap that each make another object.

#include <gtest/gtest.h>
#include <freehold/traced/traced_heap.hpp>

#include <string>

namespace {

using freehold::traced_heap;

struct counted {
    int number;
};

// Its destructor makes two others. One may do the same.
struct ancestor {
    ancestor(traced_heap& its, int& made, int others) : heap(&its), count(&made), more(others) { ++made; }
    ancestor(const ancestor&) = delete;
    ancestor& operator=(const ancestor&) = delete;
    ~ancestor() {
        static_cast<void>(heap->make<counted>(1));
        if (more != 0) static_cast<void>(heap->make<ancestor>(*heap, *count, more - 1));
    }
    void trace(auto&) const {}

    traced_heap* heap;
    int* count;
    int more;
};

// Its finalizer makes another one, and collects.
void add_finalizer(traced_heap& heap, int& calls, int& nested, int& deepest, int left) {
    heap.add_finalizer(heap.make<counted>(left), [&, left](counted&) {
        ++calls;
        if (++nested > deepest) deepest = nested;
        if (left != 0) {
            add_finalizer(heap, calls, nested, deepest, left - 1);
            heap.collect();
        }
        --nested;
    });
}

}  // namespace

TEST(traced_generations, end_with_the_heap) {
    testing::internal::CaptureStderr();
    int made = 0;
    {
        traced_heap heap;
        static_cast<void>(heap.make<ancestor>(heap, made, 900));
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(made, 901);
}

TEST(traced_generations, of_destructors_without_end_do_not_keep_a_heap_from_ending) {
    testing::internal::CaptureStderr();
    int made = 0;
    {
        traced_heap heap;
        static_cast<void>(heap.make<ancestor>(heap, made, -1));
    }
    const std::string told = testing::internal::GetCapturedStderr();
    EXPECT_EQ(made, 1002);
    EXPECT_NE(told.find("1000 generations"), std::string::npos) << told;
    EXPECT_NE(told.find("ancestor"), std::string::npos) << told;
}

TEST(traced_generations, of_finalizers_that_collect_take_no_stack) {
    traced_heap heap;
    testing::internal::CaptureStderr();
    int calls = 0;
    int nested = 0;
    int deepest = 0;
    add_finalizer(heap, calls, nested, deepest, 900);
    heap.collect();
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(calls, 901);
    EXPECT_EQ(deepest, 1);
}

TEST(traced_generations, of_finalizers_without_end_wait_for_the_next_collection) {
    traced_heap heap;
    testing::internal::CaptureStderr();
    int calls = 0;
    int nested = 0;
    int deepest = 0;
    add_finalizer(heap, calls, nested, deepest, 1500);
    heap.collect();
    const std::string told = testing::internal::GetCapturedStderr();
    EXPECT_EQ(calls, 1001);
    EXPECT_NE(told.find("1000 generations"), std::string::npos) << told;
    EXPECT_NE(told.find("counted"), std::string::npos) << told;
    heap.collect();
    EXPECT_EQ(calls, 1501) << "none is lost";
}
