#pragma once
// thread_locals_are_freed_first: whether a thread frees its thread_local objects before it calls their destructors, as
// programs by g++ do on Windows. What such a destructor does with its object is then undefined, and not tested.

#include <freehold/core/platform/thread_key.hpp>

namespace support {

inline constexpr bool thread_locals_are_freed_first = freehold::detail::thread_key::is_before_thread_locals;

}  // namespace support
