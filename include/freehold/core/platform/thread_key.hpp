#pragma once
// What the system calls at the end of a thread, after it has destroyed the thread_local objects; or, with
// is_before_thread_locals, before, since the system frees all thread_local variables before it calls their destructors.
//
// thread_key
//     A word for each thread, and what is called at the end of a thread whose word is not null. With static storage
//     duration in the module that uses it: it is destroyed when a library is unloaded, or the process exits.
//     Thread safety: any thread may call any function, also while another destroys the key. Exceptions: none.
//
//     explicit thread_key(void (*end)(void* word)) noexcept;
//         Effects: end(word) will be called by each thread that has set a word, after the word was set to null. It may
//         be set again: the thread then calls end() again, up to `rounds` times in all. In no defined order with other
//         keys.
//     bool set(const void* word) const noexcept;
//         Effects: sets the calling thread's word. Returns: false if the process has no key left, or no memory.

#include "../config.hpp"

#if defined(FREEHOLD_WINDOWS)
#include "detail/windows/thread_key.hpp"
#else
#include "detail/posix/thread_key.hpp"
#endif
