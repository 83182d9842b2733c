// The table in which an object's weak record is found: chains, growth, and what is left where it can't grow.

#include <gtest/gtest.h>
#include <freehold/cyclic/detail/cyclic_header.hpp>
#include <freehold/cyclic/detail/weak_records.hpp>

#include <cstddef>
#include <vector>

using freehold::detail::cyclic_header;
using freehold::detail::weak_handle;
using freehold::detail::weak_table;

namespace {

using weak_record = freehold::detail::weak_record<freehold::detail::one_thread>;

struct weak_table_test : testing::Test {
    void TearDown() override { table.clear(); }

    weak_handle<weak_record> add(cyclic_header& header) {
        weak_handle<weak_record> made(new weak_record(header));
        table.add(*made);
        return made;
    }

    std::vector<cyclic_header> headers{1000, cyclic_header(true)};
    weak_table<weak_record> table;
};

}  // namespace

TEST_F(weak_table_test, an_empty_one_has_no_record) {
    EXPECT_FALSE(table.find(&headers[0]));
    table.trim();
    EXPECT_FALSE(table.find(&headers[0]));
}

TEST_F(weak_table_test, each_object_has_its_record) {
    for (cyclic_header& header : headers) add(header);
    for (cyclic_header& header : headers) {
        const auto found = table.find(&header);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->key(), &header);
    }
}

TEST_F(weak_table_test, a_removed_record_belongs_to_the_weak_pointers_alone) {
    std::vector<weak_handle<weak_record>> records;
    for (cyclic_header& header : headers) records.push_back(add(header));
    for (std::size_t i = 0; i < headers.size(); i += 2) table.remove(&headers[i]);
    for (std::size_t i = 0; i < headers.size(); ++i) {
        EXPECT_EQ(static_cast<bool>(table.find(&headers[i])), i % 2 == 1);
        EXPECT_EQ(records[i]->owners.value(), i % 2 == 1 ? 2 : 1);
    }
}

TEST_F(weak_table_test, it_is_used_again_after_its_memory_was_given_back) {
    for (const std::size_t used : {10U, 1000U, 100U}) {
        for (std::size_t i = 0; i < used; ++i) add(headers[i]);
        table.trim();
        EXPECT_TRUE(table.find(&headers[7])) << "it is not empty";
        for (std::size_t i = 0; i < used; ++i) table.remove(&headers[i]);
        table.trim();
    }
}
