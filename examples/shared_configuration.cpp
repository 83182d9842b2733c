// Settings that many threads read while others replace them. A reader sees old settings or new ones, never a mixture.
// The pointer is an atomic_shared_ptr, the settings are const: threads replace them and never change them.
// Look at serve(): it takes one snapshot, so its settings stay the same and alive until it returns, and nothing is
// counted.

#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

struct settings {
    int version;
    std::string host;
};

std::string host_of(int version) { return "host-" + std::to_string(version) + ".example.org"; }

class server {
public:
    // Returns: false if the settings are torn or went back. Sets `seen` to their version.
    bool serve(int& seen) const {
        const auto now = settings_.snapshot();
        const bool right = now->version >= seen && now->host == host_of(now->version);
        seen = now->version;
        return right;
    }

    // Any thread may call it: where another was faster, it goes on from that one's settings.
    void reload() {
        auto old = settings_.snapshot();
        while (!settings_.compare_exchange_weak(old, after(*old))) {
        }
    }

private:
    static freehold::shared_ptr<const settings> after(const settings& old) {
        return freehold::make_shared<settings>(old.version + 1, host_of(old.version + 1));
    }

    freehold::atomic_shared_ptr<const settings> settings_{freehold::make_shared<settings>(0, host_of(0))};
};

}  // namespace

int main() {
    constexpr int reloads = 500;  // by each of two threads
    server shop;
    std::atomic<bool> right = true;
    const auto read = [&] {
        for (int seen = 0; seen < 2 * reloads;) {
            if (!shop.serve(seen)) right = false;
        }
    };
    const auto write = [&] {
        for (int i = 0; i < reloads; ++i) shop.reload();
    };

    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(read);
    for (int i = 0; i < 2; ++i) threads.emplace_back(write);
    for (std::thread& thread : threads) thread.join();

    std::printf("3 readers saw all settings up to version %d\n", 2 * reloads);
    return right ? 0 : 1;
}
