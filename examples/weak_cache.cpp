// A cache that keeps nothing alive: it finds a texture that is still in use, and reads any other again.
// Entries are weak_ptr: the scenes own the textures, in any thread, and the cache only knows them.
// Look at load(): lock() checks and takes an owner in one step, so no thread can release the texture in between.

#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

struct texture {
    std::string name;
    std::vector<unsigned char> pixels;
};

class texture_cache {
public:
    freehold::shared_ptr<const texture> load(const std::string& name) {
        const std::lock_guard lock(mutex_);
        freehold::weak_ptr<const texture>& entry = entries_[name];
        if (auto found = entry.lock()) return found;
        ++reads_;
        auto loaded = freehold::make_shared<texture>(name, std::vector<unsigned char>(4096));
        entry = loaded;
        return loaded;
    }

    // An expired entry still takes memory: its name, and the block of the texture without the pixels.
    std::size_t remove_expired() {
        const std::lock_guard lock(mutex_);
        return std::erase_if(entries_, [](const auto& entry) { return entry.second.expired(); });
    }

    int reads() {
        const std::lock_guard lock(mutex_);
        return reads_;
    }

private:
    std::mutex mutex_;
    std::unordered_map<std::string, freehold::weak_ptr<const texture>> entries_;
    int reads_ = 0;
};

}  // namespace

int main() {
    texture_cache cache;
    const auto grass = cache.load("grass");
    auto stone = cache.load("stone");

    freehold::shared_ptr<const texture> same;
    std::thread([&] { same = cache.load("grass"); }).join();
    const bool shared = same == grass && cache.reads() == 2;

    stone.reset();  // the last owner: the texture is destroyed
    const bool removed = cache.remove_expired() == 1;
    const bool reloaded = cache.load("stone")->name == "stone" && cache.reads() == 3;

    std::printf("shared: %d, removed: %d, reloaded: %d\n", shared, removed, reloaded);
    return shared && removed && reloaded ? 0 : 1;
}
