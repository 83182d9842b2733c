#pragma once
// Follows the events of a process: what lives, and for each site what became of its blocks.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "call_tree.hpp"
#include "events.hpp"
#include "live_blocks.hpp"
#include "replay_file.hpp"

namespace advise {

struct site {
    std::vector<place> callers;       // innermost first
    std::vector<std::uint32_t> path;  // of the tree, innermost first
    bool is_in_arena = false;
    std::uint64_t blocks = 0, made = 0, bytes = 0, freed = 0, live_bytes = 0;
    std::uint64_t by_others = 0, in_stack_order = 0;
    std::uint64_t at_peak = 0;         // bytes
    std::uint64_t lifetimes[65] = {};  // by the logarithm of the bytes that were allocated meanwhile
};

struct totals {
    std::uint64_t events = 0, allocations = 0, frees = 0, reallocations = 0;
    std::uint64_t of_unknown = 0;  // frees of blocks that were not recorded
    std::uint64_t bytes = 0, live_bytes = 0, live = 0, most_bytes = 0, most_blocks = 0;
    std::uint64_t kinds[recorder::site] = {};
};

class follower : public definitions {
public:
    // What operator new makes beneath the node `arena` of the tree is replayed in an arena; 0: nothing is.
    follower(replay_writer& replay, std::uint32_t arena) : replay_(replay), arena_(arena) {}

    void define_module(std::uint32_t number, std::string name) override {
        if (modules_.size() <= number) modules_.resize(number + 1);
        modules_[number] = std::move(name);
    }

    void define_site(std::uint32_t number, const std::vector<place>& callers) override {
        if (sites_.size() <= number) sites_.resize(number + 1);
        site& fresh = sites_[number];
        fresh.callers = callers;
        fresh.path = tree_.path_of(callers);
        fresh.is_in_arena = std::find(fresh.path.begin(), fresh.path.end(), arena_) != fresh.path.end();
    }

    void take(const event& each, std::uint32_t thread) {
        if (youngest_.size() <= thread) {
            youngest_.resize(thread + 1);
            moved_.resize(thread + 1);
        }
        if (each.what == recorder::reallocated) {
            if (each.is_half)
                moved_[thread] = live_.take(each.block);
            else
                reallocate(each, thread);
        } else if (recorder::is_free(each.what)) {
            ++totals_.events;
            ++totals_.kinds[each.what];
            ++totals_.frees;
            if (const std::uint32_t number = live_.take(each.block))
                free(number, thread, each.what);
            else
                ++totals_.of_unknown;
        } else {
            allocate(each, thread);
        }
    }

    void finish() {
        tree_.finish();
        for (const site& each : sites_) {
            for (const std::uint32_t at : each.path) {
                node& beneath = tree_[at];
                beneath.blocks += each.blocks;
                beneath.made += each.made;
                beneath.bytes += each.bytes;
                beneath.by_others += each.by_others;
            }
        }
    }

    const totals& sums() const { return totals_; }
    const std::vector<std::string>& modules() const { return modules_; }
    const std::vector<site>& sites() const { return sites_; }
    const call_tree& tree() const { return tree_; }

private:
    void allocate(const event& each, std::uint32_t thread) {
        ++totals_.events;
        ++totals_.kinds[each.what];
        ++totals_.allocations;
        // A block that is still there was freed unseen.
        if (const std::uint32_t old = live_.take(each.block)) free(old, thread, recorder::freed);
        const std::uint32_t number = blocks_.add();
        live_.insert(each.block, number);
        bear(number, each, thread);
        write(number, each);
    }

    void reallocate(const event& each, std::uint32_t thread) {
        ++totals_.events;
        ++totals_.kinds[each.what];
        ++totals_.reallocations;
        std::uint32_t number = std::exchange(moved_[thread], 0);
        if (number != 0)
            die(number, thread);
        else
            number = blocks_.add();
        if (const std::uint32_t old = live_.take(each.block)) free(old, thread, recorder::freed);
        live_.insert(each.block, number);
        bear(number, each, thread);
        write(number, each);
    }

    void free(std::uint32_t number, std::uint32_t thread, kind what) {
        replay_.add({number, shortened(blocks_[number].size), what, 0, blocks_[number].is_in_arena != 0, 0});
        die(number, thread);
        blocks_.remove(number);
    }

    void bear(std::uint32_t number, const event& each, std::uint32_t thread) {
        block& fresh = blocks_[number];
        fresh.size = each.size;
        fresh.birth = totals_.bytes;
        fresh.site = each.site;
        fresh.thread = thread & 0x7fff'ffff;
        blocks_.link(number, youngest_[thread]);
        if (sites_.size() <= each.site) sites_.resize(each.site + 1);
        site& where = sites_[each.site];
        ++where.blocks;
        where.bytes += each.size;
        where.live_bytes += each.size;
        const bool is_made = each.what == recorder::made || each.what == recorder::made_array;
        where.made += is_made;
        fresh.is_in_arena = where.is_in_arena && is_made;
        tree_.allocate(where.path, each.size);
        totals_.bytes += each.size;
        totals_.live_bytes += each.size;
        totals_.most_blocks = std::max(totals_.most_blocks, ++totals_.live);
        if (totals_.live_bytes > totals_.most_bytes) grow();
    }

    void die(std::uint32_t number, std::uint32_t thread) {
        const block& gone = blocks_[number];
        site& where = sites_[gone.site];
        const bool is_by_other = gone.thread != thread;
        ++where.freed;
        where.by_others += is_by_other;
        where.in_stack_order += blocks_.unlink(number, youngest_[gone.thread]) && !is_by_other;
        where.live_bytes -= gone.size;
        ++where.lifetimes[std::bit_width(totals_.bytes - gone.birth)];
        tree_.free(where.path, gone.size);
        totals_.live_bytes -= gone.size;
        --totals_.live;
    }

    // Notes what each site has, at a peak that is more than that of before by a fiftieth.
    void grow() {
        totals_.most_bytes = totals_.live_bytes;
        if (totals_.most_bytes <= noted_ + noted_ / 50) return;
        noted_ = totals_.most_bytes;
        for (site& each : sites_) each.at_peak = each.live_bytes;
    }

    void write(std::uint32_t number, const event& each) {
        const auto alignment = static_cast<std::uint8_t>(each.alignment > 1 ? std::bit_width(each.alignment - 1) : 0);
        replay_.add({number, shortened(each.size), each.what, alignment, blocks_[number].is_in_arena != 0, 0});
    }

    static std::uint32_t shortened(std::uint64_t size) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(size, 0xffff'ffff));
    }

    replay_writer& replay_;
    std::uint32_t arena_;
    totals totals_;
    std::uint64_t noted_ = 0;
    std::vector<std::string> modules_;
    std::vector<site> sites_;
    call_tree tree_;
    address_map live_;
    block_table blocks_;
    std::vector<std::uint32_t> youngest_;  // block of each thread
    std::vector<std::uint32_t> moved_;     // the block that each thread's realloc takes
};

}
