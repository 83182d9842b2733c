#pragma once
// Whether a sanitizer watches: frames are larger, and everything takes longer.

#include "thread_sanitizer.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif

namespace support {

#if defined(ADDRESS_SANITIZER) || defined(THREAD_SANITIZER)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace support
