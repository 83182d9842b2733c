#pragma once
// heap_helper: what the helper thread marks for one heap.

#include <cstddef>

#include "helped_gray.hpp"
#include "marking_helper.hpp"
#include "traced_marker.hpp"

namespace freehold::inline v0_2::detail {

class heap_helper : public helped_gray {
public:
    heap_helper() noexcept : helped_gray(&mark) {}

    traced_marker marker;

private:
    static constexpr int slices = 16;
    static constexpr std::size_t objects_of_slice = 64;

    static bool mark(work& its) noexcept {
        auto& self = static_cast<heap_helper&>(its);
        for (int i = 0; i < slices && self.has_more(); ++i) {
            if (self.handshake.is_wanted() || marking_helper::is_to_stop()) return true;
            self.count(self.marker.trace_gray(self.gray, objects_of_slice));
        }
        return self.has_more();
    }
};

}  // namespace freehold::detail
