// The forms of operator new that return null, in a program that replaces operator new and is compiled with
// -fno-exceptions: what the other forms would throw ends it.

#include <freehold/memory/replace_new.hpp>

#include <cstddef>
#include <limits>
#include <new>

#include "check.hpp"

#ifdef __cpp_exceptions
#error "This program must be compiled without exceptions."
#endif

#ifndef FREEHOLD_KEEPS_NEW

namespace {

int handler_calls = 0;

void give_up_at_the_third_call() {
    if (++handler_calls == 3) std::set_new_handler(nullptr);
}

}  // namespace

#endif

int main() {
#ifndef FREEHOLD_KEEPS_NEW
    volatile std::size_t bytes = std::numeric_limits<std::size_t>::max() / 4;  // compilers warn of constants
    CHECK(::operator new(bytes, std::nothrow) == nullptr);
    std::set_new_handler(give_up_at_the_third_call);
    CHECK(::operator new(bytes, std::nothrow) == nullptr);
    CHECK(handler_calls == 3);
    handler_calls = 0;
    std::set_new_handler(give_up_at_the_third_call);
    CHECK(::operator new[](bytes, std::align_val_t{4096}, std::nothrow) == nullptr);
    CHECK(handler_calls == 3);
#endif
}
