// Copies of std::shared_ptr of each kind that ./freehold advise --copies tells apart.

#include <cstdio>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

struct Base {
    virtual ~Base() = default;
    std::shared_ptr<Base> next;
    int value = 1;
};
struct Derived : Base {};
using Pointer = std::shared_ptr<Base>;

struct Holder {  // holder
    Pointer held;
};

int by_value(Pointer p) { return p->value; }
int of_holder(Holder holder) { return holder.held->value; }

Pointer kept;
Pointer outlives(Pointer from) {
    Pointer result = from;  // last
    return result;
}

int main() {
    int sum = 0;
    const auto derived = std::make_shared<Derived>();
    const Pointer base = std::make_shared<Base>();
    base->next = std::make_shared<Base>();
    const Holder holder{std::make_shared<Base>()};
    for (int i = 0; i < 10; ++i) {
        sum += by_value(base);      // argument
        const Pointer copy = base;  // variable
        sum += copy->value;
        sum += by_value(derived);  // base
        Pointer cursor = base;     // first of cursor
        cursor = cursor->next;     // cursor
        std::vector<Pointer> all;
        all.push_back(base);  // element
        sum += of_holder(holder);
        const Pointer taken = outlives(std::make_shared<Base>());
        sum += taken->value;
        Pointer source = std::make_shared<Base>();
        Pointer other = source;  // source changed
        source.reset();
    }
    kept = base;                                                // outlives
    auto task = [p = base] { std::printf("%d\n", p->value); };  // crosses
    std::thread(std::move(task)).join();
    std::printf("%d\n", sum);
}
