// Copies std::shared_ptr a known number of times: a comment says how many a line makes in each of `rounds` rounds, or
// once. Some lines copy null pointers, which count no owner.

#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#define KEEP __attribute__((noinline))

struct Base {
    virtual ~Base() = default;
    int value = 1;
};
struct Derived : Base {};
using Pointer = std::shared_ptr<Base>;

KEEP int by_value(Pointer p) { return p ? p->value : 0; }

KEEP int twice(const Pointer& p) {
    int sum = by_value(p);  // rounds: 1
    sum += by_value(nullptr);
    return sum + by_value(p);  // rounds: 1
}

// Compilers add both owners of a pass at once.
inline int pass(Pointer p) {
    return by_value(p);  // rounds: 1
}

KEEP int passed(const Pointer& p) {
    return pass(p);  // rounds: 1
}

// They store again the count that the end of the last copy found.
inline int peek(Pointer p) { return p->value; }

KEEP int peeked() {
    const Pointer mine = std::make_shared<Base>();
    int sum = 0;
    for (int i = 0; i < 2; ++i) {
        sum += peek(mine);           // rounds: 2
        const Pointer other = mine;  // rounds: 2
        sum += other->value;
    }
    return sum;
}

struct Holder {  // rounds: 2
    Pointer first, second;
};

KEEP int holder(const Holder& from) {
    Holder copy = from;
    return copy.first->value;
}

KEEP int vectors(const std::vector<Pointer>& seven, const std::vector<Pointer>& three) {
    std::vector<Pointer> one(seven);  // rounds: 7
    std::vector<Pointer> two(three);  // rounds: 3
    return static_cast<int>(one.size() + two.size());
}

KEEP int lock(const std::weak_ptr<Base>& weak) {
    return weak.lock()->value;  // rounds: 1
}

KEEP int assign(Pointer& to, const Pointer& from) {
    to = from;  // rounds: 1
    return to ? to->value : 0;
}

int main() {
    const int rounds = 100;
    int sum = 0;
    auto derived = std::make_shared<Derived>();
    Pointer base = derived;               // once: 1
    Holder both{base, base};              // once: 2
    std::vector<Pointer> seven(7, base);  // once: 7
    std::vector<Pointer> three(3, base);  // once: 3
    Pointer null, to;
    for (int i = 0; i < rounds; ++i) {
        sum += twice(base) + passed(base) + peeked() + holder(both) + vectors(seven, three) + lock(base);
        sum += by_value(derived);  // rounds: 1
        sum += assign(to, base) + assign(to, null);
        auto lambda = [base] { return base->value; };  // rounds: 1
        sum += lambda();
    }
    std::thread([&] {
        for (int i = 0; i < rounds; ++i) sum += by_value(base);  // rounds: 1
    }).join();
    std::printf("%d\n", sum);
}
