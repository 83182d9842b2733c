#pragma once
// Types that hide a pointer to an object of a traced heap from its collector.

#include <freehold/traced/traced_ptr.hpp>

namespace support::hidden {

struct node {
    int value = 0;
    freehold::traced_ptr<node> next = {};
};

struct point {
    int x = 0;
    int y = 0;
};

// Trivially copyable, and no aggregate.
class copied_as_bytes {
public:
    explicit copied_as_bytes(const node* given) : value_(given) {}
    [[nodiscard]] const node* get() const { return value_; }

private:
    const node* value_;
};

union one_of {
    const node* raw;
    long number;
};

}  // namespace support::hidden
