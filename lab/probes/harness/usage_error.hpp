#pragma once
// What was asked cannot be done; the message is the line that the user sees.

#include <stdexcept>

namespace lab {

struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace lab
