#pragma once
// Images that have owners.

#include <cstdint>
#include <type_traits>
#include <vector>

#include "plot.hpp"
#include "pointer_strategy.hpp"

namespace lab::external {

template <class Strategy>
struct image : Strategy::template base<image<Strategy>> {
    using pointer = typename Strategy::template pointer<image>;

    std::vector<char> pixels;
    std::conditional_t<collects<Strategy>, pointer, typename Strategy::template weak<image>> self;

    explicit image(char color) : pixels(pixels_of_an_image, color) {}

    void trace(auto& visit) const { visit(self); }
};

template <class Strategy, int Alive>
struct owned : collecting<Strategy> {
    using owner = typename image<Strategy>::pointer;

    static std::uint64_t run(int images) {
        owned form;
        return make_images(form, images, Alive);
    }

    static owner make(char color) {
        const owner made = make_owner<Strategy, image<Strategy>>(color);
        made->self = made;
        return made;
    }

    static std::vector<owner> places(int alive) { return std::vector<owner>(alive); }
    static void discard(const owner&) {}
};

template <class Strategy>
    requires(has_weak<Strategy> && copies<Strategy, image>)
using of = made<owned<Strategy, 1>, owned<Strategy, 8>>;

}  // namespace lab::external
