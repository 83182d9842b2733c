// A subject that notifies its observers. A destroyed observer drops out of the list and need not unsubscribe.
// The list holds weak_ptr, ordered by owner_less: an observer is in it at most once and is found by its owner.
// Look at notify(): no observer is destroyed while it is called, and each may change the list.

#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/owner_less.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include <cstddef>
#include <cstdio>
#include <functional>
#include <set>
#include <utility>

namespace {

class thermometer {
public:
    using observer = std::function<void(int)>;

    void subscribe(const freehold::shared_ptr<observer>& added) { observers_.insert(added); }
    void unsubscribe(const freehold::shared_ptr<observer>& removed) {
        if (const auto found = observers_.find(removed); found != observers_.end()) observers_.erase(found);
    }

    void notify(int degrees) {
        const auto present = observers_;  // a copy, because an observer may subscribe or unsubscribe
        for (const freehold::weak_ptr<observer>& each : present) {
            if (const auto alive = each.lock()) (*alive)(degrees);
        }
        std::erase_if(observers_, [](const auto& each) { return each.expired(); });
    }

    [[nodiscard]] std::size_t observers() const { return observers_.size(); }

private:
    std::set<freehold::weak_ptr<observer>, freehold::owner_less<>> observers_;
};

freehold::shared_ptr<thermometer::observer> make_observer(thermometer::observer function) {
    return freehold::make_shared<thermometer::observer>(std::move(function));
}

}  // namespace

int main() {
    thermometer outside;
    int highest = 0;
    int frosts = 0;

    const auto maximum = make_observer([&](int degrees) { highest = degrees > highest ? degrees : highest; });
    freehold::shared_ptr<thermometer::observer> first_frost;
    first_frost = make_observer([&](int degrees) {
        if (degrees >= 0) return;
        ++frosts;
        outside.unsubscribe(first_frost);  // once is enough
    });
    outside.subscribe(maximum);
    outside.subscribe(maximum);
    outside.subscribe(first_frost);
    const bool once = outside.observers() == 2;
    {
        const auto display = make_observer([](int degrees) { std::printf("%d degrees\n", degrees); });
        outside.subscribe(display);
        outside.notify(21);
    }
    for (const int degrees : {-3, 4, -5}) outside.notify(degrees);

    const bool notified = highest == 21 && frosts == 1;
    return once && notified && outside.observers() == 1 ? 0 : 1;
}
