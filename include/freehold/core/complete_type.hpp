#pragma once
// Whether a type is complete where this is asked first. What deletes or traces objects asks at its instantiation, so
// that one message says what is missing.

#include "config.hpp"

namespace freehold::inline v0_2::detail {

template <class T>
concept is_complete = requires { sizeof(T); };

}  // namespace freehold::detail
