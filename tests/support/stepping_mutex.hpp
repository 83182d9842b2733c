#pragma once
// stepping_mutex: a mutex of an interleaving.

#include "interleaving.hpp"

namespace support {

class stepping_mutex {
public:
    stepping_mutex() = default;
    stepping_mutex(const stepping_mutex&) = delete;
    stepping_mutex& operator=(const stepping_mutex&) = delete;

    void lock() {
        interleaving::wait_until([this] { return !locked_; });
        locked_ = true;
    }

    void unlock() { locked_ = false; }

private:
    bool locked_ = false;
};

}  // namespace support
