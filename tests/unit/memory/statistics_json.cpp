#include <gtest/gtest.h>
#include <freehold/memory/pool_resource.hpp>
#include <freehold/memory/statistics_json.hpp>

#include <cstddef>
#include <cstdio>
#include <string>

namespace {

// Returns: the whole text.
template <class Statistics>
std::string json_of(const Statistics& of) {
    char text[1000];
    const std::size_t length = freehold::to_json(of, text, sizeof text);
    EXPECT_LT(length, sizeof text);
    EXPECT_EQ(text[length], '\0');
    return {text, length};
}

freehold::pool_statistics counted() {
    freehold::pool_statistics found;
    found.mapped = 262'144;
    found.spare = 131'072;
    found.large = 20'000;
    found.large_blocks = 1;
    found.is_counted = true;
    found.add_slab(1024, 3, 60);
    found.add_slab(48, 100, 1262);
    return found;
}

}  // namespace

TEST(statistics_json, a_pool) {
    EXPECT_EQ(json_of(counted()),
              R"({"mapped":262144,"spare":131072,"large":20000,"large_blocks":1,"idle":0,"live":7872,"cached":122016,)"
              R"("classes":[{"block_bytes":48,"slabs":1,"live":100,"cached":1262},)"
              R"({"block_bytes":1024,"slabs":1,"live":3,"cached":60}]})");
}

TEST(statistics_json, what_is_not_known_is_null) {
    freehold::pool_statistics found;
    found.mapped = 65'536;
    found.add_slab(48, 0, 0);
    EXPECT_EQ(json_of(found),
              R"({"mapped":65536,"spare":0,"large":0,"large_blocks":0,"idle":0,"live":null,"cached":null,)"
              R"("classes":[{"block_bytes":48,"slabs":1,"live":null,"cached":null}]})");
}

TEST(statistics_json, a_page_cache) {
    EXPECT_EQ(json_of(freehold::page_cache_statistics{1, 2, 3}), R"({"in_use":1,"idle":2,"mapped":3})");
}

TEST(statistics_json, a_counting_resource_and_the_names_of_its_scopes) {
    freehold::counting_resource resource(freehold::counting_resource::by_scope{});
    const freehold::counting_resource::scope odd(resource, "\"a\\b\n");
    void* const block = resource.allocate(24);
    EXPECT_EQ(json_of(resource),
              R"({"allocations":1,"deallocations":0,"live_blocks":1,"live_bytes":24,"peak_bytes":24,"scopes":[)"
              R"({"name":null,"blocks":0,"bytes":0,"peak_bytes":0},)"
              R"({"name":"\u0022a\u005cb\u000a","blocks":1,"bytes":24,"peak_bytes":24}]})");
    resource.deallocate(block, 24);
}

TEST(statistics_json, a_pool_between_two_counting_resources) {
    freehold::counting_resource below;
    freehold::pool_resource pool(&below);
    freehold::counting_resource above(&pool);
    void* const block = above.allocate(24);
    const freehold::used_and_held both{above, below};
    EXPECT_EQ(both.unused_bytes(), 65'536 - 24);
    EXPECT_EQ(
        json_of(both),
        R"({"used":{"allocations":1,"deallocations":0,"live_blocks":1,"live_bytes":24,"peak_bytes":24,"scopes":[]},)"
        R"("held":{"allocations":1,"deallocations":0,"live_blocks":1,"live_bytes":65536,"peak_bytes":65536,)"
        R"("scopes":[]},"unused_bytes":65512})");
    above.deallocate(block, 24);
}

TEST(statistics_json, what_does_not_fit_is_counted_and_left_out) {
    const std::string whole = json_of(counted());
    for (std::size_t bytes = 1; bytes <= whole.size() + 1; ++bytes) {
        char text[1000];
        text[bytes] = '#';
        EXPECT_EQ(freehold::to_json(counted(), text, bytes), whole.size());
        EXPECT_EQ(text, whole.substr(0, bytes - 1));
        EXPECT_EQ(text[bytes], '#');
    }
    EXPECT_EQ(freehold::to_json(counted(), nullptr, 0), whole.size());
}

TEST(statistics_json, a_file_gets_the_same_and_a_line_break) {
    std::FILE* const file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    freehold::print_json(file, counted());
    std::rewind(file);
    char text[1000];
    ASSERT_NE(std::fgets(text, sizeof text, file), nullptr);
    EXPECT_EQ(text, json_of(counted()) + "\n");
    std::fclose(file);
}
