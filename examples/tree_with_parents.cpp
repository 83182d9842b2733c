// A tree whose nodes know their parents: a folder owns its children and can print its path.
// Children are local_shared_ptr, parents local_weak_ptr: ownership points down, and one thread counts without atomics.
// Look at path(): a folder that outlives its tree finds no parent. A raw pointer would dangle.

#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

class folder : public freehold::enable_local_shared_from_this<folder> {
public:
    using pointer = freehold::local_shared_ptr<folder>;

    explicit folder(std::string name) : name_(std::move(name)) {}

    pointer add(std::string name) {
        auto added = freehold::make_local_shared<folder>(std::move(name));
        added->parent_ = weak_from_this();
        children_.push_back(added);
        return added;
    }

    [[nodiscard]] std::string path() const {
        const pointer parent = parent_.lock();
        return parent ? parent->path() + '/' + name_ : name_;
    }

private:
    std::string name_;
    std::vector<pointer> children_;
    freehold::local_weak_ptr<folder> parent_;
};

}  // namespace

int main() {
    auto root = freehold::make_local_shared<folder>("home");
    const auto music = root->add("music");
    const freehold::local_weak_ptr<folder> photos = root->add("photos");
    const auto bach = music->add("bach");

    const std::string before = bach->path();
    root.reset();  // destroys the root and the photos; the music has an owner here
    const std::string after = bach->path();

    std::printf("%s, then %s\n", before.c_str(), after.c_str());
    return before == "home/music/bach" && after == "music/bach" && photos.expired() ? 0 : 1;
}
