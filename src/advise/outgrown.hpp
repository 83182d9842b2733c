#pragma once
// Blocks that a larger one has replaced, as a vector does that grows: `reserve` would do without them.

#include <cstdint>
#include <vector>

#include "live_blocks.hpp"

namespace advise {

class outgrown_blocks {
public:
    struct sum {
        std::uint64_t blocks = 0, bytes = 0;
    };

    // Takes note of a block that lives from now on.
    void bear(std::uint32_t number, const block& fresh) {
        if (sites_.size() <= fresh.site) sites_.resize(fresh.site + 1);
        sites_[fresh.site].youngest = number;
    }

    // Takes note of a block that is freed. Returns whether it was outgrown: the youngest of its site is larger, and has
    // replaced no other.
    bool die(std::uint32_t number, const block& gone, const block& youngest) {
        of_site& where = sites_[gone.site];
        if (where.youngest == number) where.youngest = 0;
        if (where.youngest == 0 || !is_larger(youngest, gone)) return false;
        where.youngest = 0;
        ++where.sum.blocks;
        where.sum.bytes += gone.size;
        return true;
    }

    std::uint32_t youngest(std::uint32_t site) const { return sites_[site].youngest; }
    sum of(std::uint32_t site) const { return site < sites_.size() ? sites_[site].sum : sum{}; }

private:
    struct of_site {
        std::uint32_t youngest = 0;  // block, if it lives and has replaced none
        outgrown_blocks::sum sum;
    };

    // Standard libraries grow by a half or to the double, and a vector that is full of few elements by a little more.
    static bool is_larger(const block& other, const block& than) {
        return other.size > than.size && other.size <= 4 * than.size;
    }

    std::vector<of_site> sites_;
};

}
