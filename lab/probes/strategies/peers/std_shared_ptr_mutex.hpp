#pragma once
// std::shared_ptr beside a std::mutex: readers and whoever replaces it wait for each other.

#include <mutex>

#include "std_locked.hpp"

namespace lab {

struct strategy : std_locked<std::mutex, std::lock_guard> {};

}  // namespace lab
