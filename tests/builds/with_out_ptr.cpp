// Freehold in a program of C++23, whose std::out_ptr gives an owner to functions that want a pointer to a pointer.

#include <freehold/freehold.hpp>

#include <memory>

#include "check.hpp"

namespace {

struct session {
    int number = 7;
};

int closed = 0;

void close(session* open) {
    ++closed;
    delete open;
}

int open(session** result) {
    *result = new session;
    return 0;
}

template <class Pointer>
void check_opened() {
    closed = 0;
    {
        Pointer p(new session{1}, close);
        CHECK(open(freehold::out_ptr(p, close)) == 0);
        CHECK(closed == 1);
        CHECK(p->number == 7);
        CHECK(p.use_count() == 1);
        CHECK(open(freehold::out_ptr(p, close, std::allocator<session>())) == 0);
    }
    CHECK(closed == 3);
}

}  // namespace

int main() {
    check_opened<freehold::shared_ptr<session>>();
    check_opened<freehold::local_shared_ptr<session>>();
    check_opened<freehold::biased_shared_ptr<session>>();
}
