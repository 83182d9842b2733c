#pragma once
// std::shared_ptr beside a std::shared_mutex: readers wait for whoever replaces it, and not for each other.

#include <shared_mutex>

#include "std_locked.hpp"

namespace lab {

struct strategy : std_locked<std::shared_mutex, std::shared_lock> {};

}  // namespace lab
