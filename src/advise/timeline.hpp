#pragma once
// What lived at each time, in as few points as a picture shows.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace advise {

class timeline {
public:
    struct point {
        std::uint64_t most = 0;       // bytes that lived at a time
        std::uint64_t allocated = 0;  // bytes
    };

    // `time` never goes back.
    void add(std::uint64_t time, std::uint64_t live, std::uint64_t allocated) {
        if (points_.empty()) begin_ = time;
        while ((time - begin_) / width_ >= most_points) join();
        const std::uint64_t at = (time - begin_) / width_;
        while (points_.size() <= at) points_.push_back({live_, 0});  // nothing was done meanwhile
        points_[at].most = std::max(points_[at].most, live);
        points_[at].allocated += allocated;
        live_ = live;
    }

    const std::vector<point>& points() const { return points_; }
    std::uint64_t width() const { return width_; }

private:
    static constexpr std::size_t most_points = 512;

    // Makes one point of each two.
    void join() {
        for (std::size_t i = 0; i < points_.size(); ++i) {
            point& to = points_[i / 2];
            const point from = points_[i];
            if (i % 2 == 0)
                to = from;
            else
                to = {std::max(to.most, from.most), to.allocated + from.allocated};
        }
        points_.resize((points_.size() + 1) / 2);
        width_ *= 2;
    }

    std::vector<point> points_;
    std::uint64_t begin_ = 0, width_ = 1, live_ = 0;
};

}
