// A program that says `namespace sp = std;` and then `namespace sp = freehold;` compiles and behaves the same.

#include <gtest/gtest.h>
#include <freehold/freehold.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace with_std {
namespace sp = std;
#include "same_as_std_program.hpp"
}  // namespace with_std

namespace with_freehold {
namespace sp = freehold;
#include "same_as_std_program.hpp"
}  // namespace with_freehold

TEST(same_as_std, a_program_writes_the_same_with_either) {
    EXPECT_EQ(with_freehold::output_of_program(), with_std::output_of_program());
}
