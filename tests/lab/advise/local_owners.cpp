// Types whose counts one thread touches, or two. With an argument, there is a second thread.

#include <cstdio>
#include <future>
#include <memory>
#include <thread>

struct Local {
    int value = 1;
};
struct Shared {
    int value = 1;
};
struct Observed {
    int value = 1;
};
struct Rare {
    int value = 1;
};

template <class T>
int use(std::shared_ptr<T> owner) {
    return owner->value;
}

template <class T>
int use(const std::shared_ptr<T>& owner, int times) {
    int sum = 0;
    for (int i = 0; i < times; ++i) sum += use(owner);
    return sum;
}

int main(int count, char**) {
    std::promise<void> end;
    std::thread other;
    auto shared = std::make_shared<Shared>();
    auto observed = std::make_shared<Observed>();
    if (count > 1) {
        other = std::thread([&, ended = end.get_future()]() mutable {
            const std::shared_ptr<Shared> mine = shared;
            const std::weak_ptr<Observed> weak = observed;
            ended.wait();
        });
    }
    int sum = 0;
    for (int i = 0; i < 5; ++i) {
        // Of one object after the other, at the same place, and made in both ways.
        const std::shared_ptr<Local> local = i == 0 ? std::make_shared<Local>() : std::shared_ptr<Local>(new Local);
        sum += use(local, 1000);
    }
    sum += use(shared, 2000) + use(observed, 3000) + use(std::make_shared<Rare>(), 10);
    end.set_value();
    if (other.joinable()) other.join();
    std::printf("%d\n", sum);
}
