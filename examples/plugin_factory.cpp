// Plug-ins that make filters in three ways: by new, from a pool of their own, or one shared filter for everybody.
// Factories return managed_ptr: the caller owns the filter, and its type hides how the filter is given back.
// Look at the three factories: the host calls them all alike, with no deleter in a type and no destroy() to call.

#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/managed_ptr.hpp>

#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

// What the host and its plug-ins agree on.
struct filter {
    virtual ~filter() = default;
    virtual double apply(double sample) = 0;
};
using filter_owner = freehold::managed_ptr<filter>;
using factory = std::function<filter_owner()>;

// A plug-in that makes a new filter each time.
struct gain : filter {
    double apply(double sample) override { return sample * 2; }
};
filter_owner make_gain() { return std::make_unique<gain>(); }

// A plug-in that keeps released filters for reuse.
struct delay : filter {
    double apply(double sample) override { return std::exchange(last, sample); }
    double last = 0;
    std::unique_ptr<delay> next_idle;
};
class delay_pool {
public:
    filter_owner make() {
        if (!idle_) idle_ = std::make_unique<delay>();
        std::unique_ptr<delay> taken = std::move(idle_);
        idle_ = std::move(taken->next_idle);
        return freehold::managed_ptr<delay>(taken.release(), this);
    }

    // The managed_ptr finds it by its arguments and calls it instead of delete.
    friend void reclaim_managed_object(delay_pool* pool, delay* returned) noexcept {
        returned->last = 0;
        returned->next_idle = std::exchange(pool->idle_, std::unique_ptr<delay>(returned));
    }

    [[nodiscard]] int idle() const {
        int count = 0;
        for (const delay* each = idle_.get(); each != nullptr; each = each->next_idle.get()) ++count;
        return count;
    }

private:
    std::unique_ptr<delay> idle_;  // the first of a list
};

// A plug-in that shares one filter among all callers.
struct mute : filter {
    double apply(double) override { return 0; }
};

}  // namespace

int main() {
    delay_pool delays;
    const freehold::shared_ptr<filter> mute_filter = freehold::make_shared<mute>();
    const std::map<std::string, factory> plugins{
        {"gain", make_gain},
        {"delay", [&] { return delays.make(); }},
        {"mute", [&] { return filter_owner(mute_filter); }},
    };

    std::vector<filter_owner> chain;
    for (const char* name : {"gain", "delay", "gain", "delay"}) chain.push_back(plugins.at(name)());
    std::vector<double> heard;
    for (double sample : {1, 2, 3}) {
        for (const filter_owner& each : chain) sample = each->apply(sample);
        heard.push_back(sample);
    }
    chain.push_back(plugins.at("mute")());
    const bool shared = mute_filter.use_count() == 2;
    chain.clear();

    const bool given_back = delays.idle() == 2 && mute_filter.use_count() == 1;
    std::printf("%g %g %g; %d delays are back in their pool\n", heard[0], heard[1], heard[2], delays.idle());
    return heard == std::vector<double>{0, 0, 4} && shared && given_back ? 0 : 1;
}
