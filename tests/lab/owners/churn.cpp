// Threads that make, hand over and drop shared objects without end, of which none leaks: `churn TRUTH FATE END`. See
// ground.hpp; there is no label. Whoever reads it without stopping it sees owners twice, or not at all, and holders
// that nothing leads to.

#include <atomic>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "ground.hpp"

namespace {

struct Part;

struct Job {
    std::vector<sp::shared_ptr<Part>> parts;
    std::map<int, sp::shared_ptr<Job>> before;
    std::string text;
};

struct Part {
    sp::weak_ptr<Job> job;
    Job* raw = nullptr;
    sp::shared_ptr<Part> twin;
};

// In the heap, held by one plain pointer that moves.
struct Order {
    sp::shared_ptr<Job> job;
    std::unique_ptr<Order> next;
};

struct Place {
    std::mutex mutex;
    std::list<sp::shared_ptr<Job>> jobs;
    std::vector<sp::shared_ptr<Job>> more;
    std::unique_ptr<Order> orders;
    int order_count = 0;
    std::deque<std::unique_ptr<Order>> waiting;
};

constexpr int threads = 3;
ground::Kept<std::array<Place, 16>> places;
std::atomic<int> started = 0;

sp::shared_ptr<Job> made(std::minstd_rand& random) {
    const auto job = random() % 2 ? sp::make_shared<Job>() : sp::shared_ptr<Job>(new Job);
    job->text.assign(random() % 60, 'x');
    for (int left = 1 + random() % 4; left > 0; --left) {
        auto part = sp::make_shared<Part>();
        part->job = job;
        part->raw = job.get();
        if (!job->parts.empty()) part->twin = job->parts.back();
        job->parts.push_back(std::move(part));
    }
    return job;
}

void add(Place& place, sp::shared_ptr<Job> job, std::minstd_rand& random) {
    if (!place.more.empty() && random() % 4 == 0) {
        job->before[0] = place.more.back();
        job->before[0]->before.clear();  // no chain grows
    }
    switch (random() % 4) {
        case 0: return place.jobs.push_back(std::move(job));
        case 1: return place.more.push_back(std::move(job));
        case 2: return place.waiting.push_back(std::make_unique<Order>(Order{std::move(job), nullptr}));
        default:
            ++place.order_count;
            place.orders = std::make_unique<Order>(Order{std::move(job), std::move(place.orders)});
    }
}

// Effects: hands over all lists' elements, and one of each other container, with no copy of an owner.
void hand_over(Place& from, Place& to) {
    to.jobs.splice(to.jobs.begin(), from.jobs);
    if (auto order = std::move(from.orders)) {
        from.orders = std::move(order->next);
        --from.order_count;
        order->next = std::move(to.orders);
        to.orders = std::move(order);
        ++to.order_count;
    }
    if (!from.more.empty()) {
        to.more.push_back(std::move(from.more.back()));
        from.more.pop_back();
    }
    if (!from.waiting.empty()) {
        to.waiting.push_back(std::move(from.waiting.front()));
        from.waiting.pop_front();
    }
}

void drop(Place& place) {
    if (place.jobs.size() > 50) place.jobs.resize(20);
    if (place.more.size() > 50) place.more.erase(place.more.begin(), place.more.begin() + 30);
    while (place.waiting.size() > 100) place.waiting.pop_front();
    if (place.order_count > 100) {
        for (; place.order_count > 50; --place.order_count) place.orders = std::move(place.orders->next);
    }
}

[[noreturn]] void work(unsigned seed) {
    std::minstd_rand random(seed);
    for (std::uint64_t round = 0;; ++round) {
        Place& from = places.value[random() % places.value.size()];
        Place& to = places.value[random() % places.value.size()];
        auto job = made(random);
        if (&from != &to) {
            const std::scoped_lock lock(from.mutex, to.mutex);
            add(from, std::move(job), random);
            hand_over(from, to);
            drop(to);
        }
        if (round == 10'000) ++started;
    }
}

}

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    for (int i = 0; i < threads; ++i) std::thread(work, i + 1).detach();
    while (started < threads) std::this_thread::yield();
    ground::write_labels(argv[1]);
    ground::stand_by(argv[3]);
}
