#include <gtest/gtest.h>
#include <freehold/diagnosis/collection_timeline.hpp>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include <freehold/cyclic/cycle_collector.hpp>
#include <freehold/traced/traced_heap.hpp>

using freehold::collection_timeline;
using freehold::traced_collection;

namespace {

class timeline_test : public testing::Test {
protected:
    void SetUp() override {
        path_ = testing::TempDir() + "freehold-timeline-" +
                testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
    }
    void TearDown() override { std::filesystem::remove(path_); }

    [[nodiscard]] std::string text() const {
        std::ifstream file(path_);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    std::string path_;
};

traced_collection young(long long started, long long pause) {
    traced_collection done{};
    done.started = std::chrono::steady_clock::time_point(std::chrono::nanoseconds(started));
    done.pause = std::chrono::nanoseconds(pause);
    done.surviving_objects = 1;
    done.surviving_bytes = 16;
    done.live_bytes = 100;
    done.external_bytes = 7;
    done.heap_bytes = 1000;
    done.work = 3;
    return done;
}

const std::string one_bar =
    "{\"name\": \"young collection\", \"cat\": \"freehold\", \"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": 5.007, "
    "\"dur\": 1.500, \"args\": {\"surviving objects\": 1, \"surviving bytes\": 16, \"work\": 3}},\n"
    "{\"name\": \"heap\", \"cat\": \"freehold\", \"ph\": \"C\", \"pid\": 1, \"tid\": 1, \"ts\": 6.507, "
    "\"args\": {\"live bytes\": 100, \"external bytes\": 7, \"unused bytes\": 900}}";

}  // namespace

TEST_F(timeline_test, the_file_is_complete_at_any_time) {
    collection_timeline timeline(path_.c_str());
    EXPECT_EQ(text(), "[\n]\n");
    timeline(young(5007, 1500));
    EXPECT_EQ(text(), "[\n" + one_bar + "\n]\n");
    timeline(young(5007, 1500));
    EXPECT_EQ(text(), "[\n" + one_bar + ",\n" + one_bar + "\n]\n");
}

TEST_F(timeline_test, a_cycle_collection_is_a_bar) {
    collection_timeline timeline(path_.c_str());
    timeline(freehold::cyclic_collection{{}, std::chrono::nanoseconds(20), 3, 2});
    EXPECT_EQ(text(),
              "[\n{\"name\": \"cycle collection\", \"cat\": \"freehold\", \"ph\": \"X\", \"pid\": 1, \"tid\": 1, "
              "\"ts\": 0.000, \"dur\": 0.020, \"args\": {\"visited objects\": 3, \"destroyed objects\": 2}}\n]\n");
}

TEST_F(timeline_test, steps_have_names) {
    collection_timeline timeline(path_.c_str());
    for (const auto kind :
         {freehold::traced_pause::mark_step, freehold::traced_pause::last_step, freehold::traced_pause::sweep_step}) {
        traced_collection done = young(0, 0);
        done.kind = kind;
        timeline(done);
    }
    EXPECT_NE(text().find("\"step of marking\""), std::string::npos);
    EXPECT_NE(text().find("\"end of marking\""), std::string::npos);
    EXPECT_NE(text().find("\"step of sweeping\""), std::string::npos);
}

TEST_F(timeline_test, it_is_an_option_of_a_traced_heap) {
    freehold::traced_heap_options options;
    options.on_collection = collection_timeline(path_.c_str());
    freehold::traced_heap heap(options);
    heap.collect();
    heap.collect_young();
    EXPECT_NE(text().find("\"full collection\""), std::string::npos);
    EXPECT_NE(text().find("\"young collection\""), std::string::npos);
}

TEST_F(timeline_test, a_file_that_cannot_be_written_is_an_error) {
    EXPECT_THROW(collection_timeline("/nonexistent/folder/file"), std::system_error);
}
