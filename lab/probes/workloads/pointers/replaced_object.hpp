#pragma once
// What threads replace while others read it.

#include <cstdint>

#include "../alive_objects.hpp"

namespace lab {

template <class Strategy, class Count = not_counted>
struct settings : Strategy::template base<settings<Strategy, Count>> {
    explicit settings(std::uint64_t its_version) : version(its_version) {}

    // Whether this is whole, and no older than the version that was known, which it then is.
    bool is_sound(std::uint64_t& known) const {
        const bool sound = version >= known && version == ~complement;
        known = version;
        return sound;
    }

    std::uint64_t version;
    std::uint64_t complement = ~version;
    [[no_unique_address]] Count counted;
};

// Returns what a thread reads through: the place itself, or something of the thread's own.
template <class Strategy, class Place>
decltype(auto) reader_of(Place& place) {
    if constexpr (requires { Strategy::reader(place); }) {
        return Strategy::reader(place);
    } else {
        return (place);
    }
}

}  // namespace lab
