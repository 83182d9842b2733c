#pragma once
// Raw images, which the program frees. Those of a collector have their pixels in its heap.

#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "memory_strategy.hpp"
#include "plot.hpp"

namespace lab::external {

template <class Strategy>
struct raw_image {
    std::vector<char, allocator_of<typename Strategy::arena, char>> pixels;
    raw_image* self;
};

template <class Strategy, int Alive>
class uncounted : public collecting<Strategy> {
    using image = raw_image<Strategy>;
    using images = allocator_of<typename Strategy::arena, image*>;

public:
    using owner = image*;

    static std::uint64_t run(int images) {
        uncounted form;
        return make_images(form, images, Alive);
    }

    static void clear() { Strategy::give_back(); }

    owner make(char color) {
        owner made = images_.allocate(1);
        ::new (made) image{{pixels_of_an_image, color, arena_.template allocator<char>()}, made};
        return made;
    }

    std::vector<owner, images> places(int alive) {
        return std::vector<owner, images>(alive, nullptr, arena_.template allocator<owner>());
    }

    void discard(owner dead) {
        if constexpr (Strategy::frees) {
            if (dead) {
                std::destroy_at(dead);
                images_.deallocate(dead, 1);
            }
        }
    }

private:
    typename Strategy::arena arena_;
    allocator_of<typename Strategy::arena, image> images_ = arena_.template allocator<image>();
};

// Images die in any order.
template <class Strategy>
    requires(Strategy::in_any_order)
using of = made<uncounted<Strategy, 1>, uncounted<Strategy, 8>>;

}  // namespace lab::external
