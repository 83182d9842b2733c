#pragma once
// The names of the standard that go with its shared_ptr, so that `namespace sp = freehold;` may replace
// `namespace sp = std;` in a program that names them through sp as well. They are the standard's own.

#include <atomic>
#include <memory>  // brings std::hash, too

#include "../core/config.hpp"

namespace freehold::inline v0_2 {

using std::allocator_arg;
using std::allocator_arg_t;
using std::atomic;
using std::default_delete;
using std::hash;
using std::make_unique;
using std::make_unique_for_overwrite;
using std::unique_ptr;

// C++23's adaptors for functions that give an object by a pointer to a pointer.
#ifdef __cpp_lib_out_ptr
using std::inout_ptr;
using std::inout_ptr_t;
using std::out_ptr;
using std::out_ptr_t;
#endif

}  // namespace freehold
