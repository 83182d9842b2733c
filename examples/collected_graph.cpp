// A social network: friends know each other, so nearly every person is in a cycle, and no link could be a weak one.
// Links are cyclic_ptr: they count, and a collector finds the groups that nobody outside knows.
// Look at struct person: it declares nothing, because the collector finds the pointers in an aggregate.

#include <freehold/cyclic/cycle_collector.hpp>
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/cyclic/cyclic_weak_ptr.hpp>

#include <cstddef>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

struct person {
    std::string name;
    std::vector<freehold::cyclic_ptr<person>> friends = {};
};

class network {
public:
    freehold::cyclic_ptr<person> join(const std::string& name) {
        return members_[name] = freehold::make_cyclic<person>(name);
    }

    void leave(const std::string& name) { members_.erase(name); }  // a friend still owns the person

private:
    std::unordered_map<std::string, freehold::cyclic_ptr<person>> members_;
};

void befriend(const freehold::cyclic_ptr<person>& one, const freehold::cyclic_ptr<person>& other) {
    one->friends.push_back(other);
    other->friends.push_back(one);
}

// Returns a weak pointer to the last of `count` people, all of whom join and form a ring.
freehold::cyclic_weak_ptr<person> form_ring(network& people, const std::string& name, int count) {
    const auto first = people.join(name + '0');
    auto last = first;
    for (int i = 1; i < count; ++i) {
        const auto next = people.join(name + std::to_string(i));
        befriend(last, next);
        last = next;
    }
    befriend(last, first);
    return last;
}

}  // namespace

int main() {
    network people;
    const auto choir = form_ring(people, "singer", 100);
    const auto club = form_ring(people, "runner", 100);
    befriend(people.join("Ada"), club.lock());

    for (int i = 0; i < 100; ++i) {
        people.leave("singer" + std::to_string(i));
        people.leave("runner" + std::to_string(i));
    }
    const bool counted = !choir.expired() && !club.expired();            // counting alone frees neither ring
    const std::size_t destroyed = freehold::cycle_collector::collect();  // make_cyclic also collects, by itself
    const bool collected = destroyed == 100 && choir.expired() && !club.expired();  // Ada knows the runners

    std::printf("%zu singers are gone; %s is still there\n", destroyed, club.lock()->name.c_str());
    return counted && collected ? 0 : 1;
}
