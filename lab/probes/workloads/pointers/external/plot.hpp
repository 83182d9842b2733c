#pragma once
// external: `x` images are made, of 100 kB each that are outside of a collector's heap. One is alive at a time, or
// eight. Every image refers to itself, as a window does whose handler refers to the window: where cycles are not
// collected, by a weak pointer.

#include <cstdint>
#include <vector>

#include "registry/extents.hpp"
#include "workloads/program.hpp"

namespace lab::external {

constexpr int pixels_of_an_image = 100'000;

// Form names owner, a variable that keeps an image; make(color), which returns one of pixels of that color; places(n),
// which returns places for n images; and discard(owner), of an image that has left its place.
template <class Form>
std::uint64_t make_images(Form& form, int images, int alive) {
    auto&& places = form.places(alive);
    std::uint64_t sum = 0;
    for (int made = 0; made < images; ++made) {
        const typename Form::owner image = form.make(static_cast<char>(made % 100));
        sum += static_cast<std::uint64_t>(image->pixels[made % pixels_of_an_image]);
        form.discard(places[made % alive]);
        places[made % alive] = image;
    }
    for (auto& place : places) {
        form.discard(place);
    }
    return sum;
}

template <class One, class Few>
struct made {
    static constexpr series plot[] = {program<extents, One>::as("one alive"), program<extents, Few>::as("eight alive")};

    static std::uint64_t checksum() { return program<extents, One>::found + 3 * program<extents, Few>::found; }
};

}  // namespace lab::external
