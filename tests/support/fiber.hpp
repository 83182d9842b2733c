#pragma once
// A function on a stack of its own, for a C library that has swapcontext: glibc.

#include "ucontext.hpp"

#ifdef __GLIBC__

#include <cstddef>
#include <memory>
#include <vector>

namespace support {

class fiber {
public:
    explicit fiber(void (*run)()) : stack_(std::size_t{256} * 1024) {
        getcontext(its_own_.get());
        its_own_->uc_stack.ss_sp = stack_.data();
        its_own_->uc_stack.ss_size = stack_.size();
        its_own_->uc_link = caller_.get();
        makecontext(its_own_.get(), run, 0);
    }

    // Effects: runs the function, in this thread, until it calls pause() or ends.
    [[gnu::noinline]] void resume() { swapcontext(caller_.get(), its_own_.get()); }
    [[gnu::noinline]] void pause() { swapcontext(its_own_.get(), caller_.get()); }

private:
    std::vector<std::byte> stack_;
    // On RISC-V ucontext_t has an array of size zero, which g++ -Wpedantic refuses in a member.
    std::unique_ptr<ucontext_t> its_own_ = std::make_unique<ucontext_t>();
    std::unique_ptr<ucontext_t> caller_ = std::make_unique<ucontext_t>();
};

}  // namespace support

#endif
