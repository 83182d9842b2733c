#pragma once
// Threads and mutexes that throw nothing, and that a static object may use before its constructor and after its
// destructor: a thread's id, a mutex, and a thread.
//
// Thread safety: any thread may call any function of a native_mutex, and one thread at a time those of a native_thread.
// Exceptions: none.
//
// thread_id, no_thread, this_thread()
//     Compared with ==, which no two threads are that run at the same time. A fork does not change it.
//
// yield()
//     Effects: lets other threads run on the processor.
//
// name_this_thread(name)
//     Effects: debuggers and tools show the name, of at most 15 letters, where the system has names of threads.
//
// native_mutex
//     lock(), unlock(). Not std::mutex, which may have a destructor.
//
// native_thread
//     Not std::thread, which throws. It stays where it is while the thread runs.
//     bool start(void* (*run)(void* argument), void* argument) noexcept;
//         Effects: a thread calls run(argument). Returns: false if the system has none.
//     void join() noexcept;
//         Effects: waits until the thread has ended. Requires: start() has returned true since the last call.

#include "../config.hpp"

#if defined(FREEHOLD_WINDOWS)
#include "detail/windows/threads.hpp"
#else
#include "detail/posix/threads.hpp"
#endif
