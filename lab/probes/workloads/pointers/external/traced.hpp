#pragma once
// Images in a traced heap. Their pixels are in the memory of malloc.

#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_root.hpp>

#include <cstdint>
#include <vector>

#include "plot.hpp"

namespace lab::external {

struct traced_image {
    std::vector<char> pixels;
    freehold::traced_ptr<traced_image> self = nullptr;
};

template <class Strategy, int Alive>
class traced : public collecting<Strategy> {
public:
    using owner = typename Strategy::template local<traced_image>;

    static std::uint64_t run(int images) {
        traced form;
        return make_images(form, images, Alive);
    }

    static void clear() { Strategy::give_back(); }

    owner make(char color) {
        owner made = heap_.template make_unrooted<traced_image>(std::vector<char>(pixels_of_an_image, color));
        made->self = made;
        return made;
    }

    static std::vector<freehold::traced_root<traced_image>> places(int alive) {
        return std::vector<freehold::traced_root<traced_image>>(alive);
    }

    static void discard(const auto&) {}

private:
    freehold::traced_heap& heap_ = Strategy::heap();
};

template <class Strategy>
using of = made<traced<Strategy, 1>, traced<Strategy, 8>>;

}  // namespace lab::external
