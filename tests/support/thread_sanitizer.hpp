#pragma once
// Defines THREAD_SANITIZER where the test is compiled with it, by either compiler.

#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZER
#endif
#endif
