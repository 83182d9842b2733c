#pragma once
// Follows the events of a process: what lives, and for each site what became of its blocks.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "call_tree.hpp"
#include "change.hpp"
#include "events.hpp"
#include "live_blocks.hpp"
#include "outgrown.hpp"
#include "replay_file.hpp"
#include "timeline.hpp"

namespace advise {

struct site {
    std::vector<place> callers;       // innermost first
    std::vector<std::uint32_t> path;  // of the tree, innermost first
    bool is_changed = false;          // some of its blocks are allocated otherwise
    std::uint64_t recorded = 0;       // blocks, which with samples stand for more
    std::uint64_t blocks = 0, made = 0, bytes = 0, freed = 0, live_bytes = 0;
    std::uint64_t by_others = 0, in_stack_order = 0;
    std::uint64_t at_peak = 0;  // bytes
    std::uint64_t least_size = std::uint64_t(-1), most_size = 0;
    outgrown_blocks::sum outgrown;
    std::uint64_t lifetimes[65] = {};  // by the logarithm of the bytes that were allocated meanwhile
};

struct totals {
    std::uint64_t events = 0, allocations = 0, frees = 0, reallocations = 0;
    std::uint64_t of_unknown = 0;  // frees of blocks that were not recorded
    std::uint64_t bytes = 0, live_bytes = 0, live = 0, most_bytes = 0, most_blocks = 0;
    std::uint64_t kinds[recorder::site] = {};
    std::uint64_t sizes[65] = {};  // blocks, by the logarithm of their size
};

class follower : public definitions {
public:
    // What operator new makes is replayed with the change.
    follower(replay_writer& replay, const change& what) : replay_(replay), change_(what) {}

    void define_module(std::uint32_t number, std::string name) override {
        if (modules_.size() <= number) modules_.resize(number + 1);
        modules_[number] = std::move(name);
    }

    void define_site(std::uint32_t number, const std::vector<place>& callers) override {
        if (sites_.size() <= number) sites_.resize(number + 1);
        site& fresh = sites_[number];
        fresh.callers = callers;
        fresh.path = tree_.path_of(callers);
        fresh.is_changed = change_.is_of_node(fresh.path) || change_.is_of_site(number);
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
            if (const std::uint32_t number = live_.take(each.block)) {
                totals_.kinds[each.what] += blocks_[number].stands_for;
                totals_.frees += blocks_[number].stands_for;
                free(number, thread, each.what);
            } else {
                ++totals_.kinds[each.what];
                ++totals_.frees;
                ++totals_.of_unknown;
            }
        } else {
            allocate(each, thread);
        }
        timeline_.add(each.time, totals_.live_bytes, each.is_half || recorder::is_free(each.what) ? 0 : each.size);
    }

    void finish() {
        tree_.finish();
        std::sort(births_.begin(), births_.end());
        for (site& each : sites_) {
            each.outgrown = outgrown_.of(static_cast<std::uint32_t>(&each - sites_.data()));
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
    const timeline& times() const { return timeline_; }

    // Returns the births of the blocks that the change is about, which are known at the end alone.
    const std::vector<std::uint64_t>& births() const { return births_; }

private:
    void allocate(const event& each, std::uint32_t thread) {
        ++totals_.events;
        totals_.kinds[each.what] += each.blocks;
        totals_.allocations += each.blocks;
        // A block that is still there was freed unseen.
        if (const std::uint32_t old = live_.take(each.block)) free(old, thread, recorder::freed);
        const std::uint32_t number = blocks_.add();
        live_.insert(each.block, number);
        bear(number, each, thread);
        write(number, each);
    }

    void reallocate(const event& each, std::uint32_t thread) {
        ++totals_.events;
        totals_.kinds[each.what] += each.blocks;
        totals_.reallocations += each.blocks;
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
        replay_.add({number, shortened(blocks_[number].size), what, 0, static_cast<way>(blocks_[number].where), 0});
        die(number, thread);
        blocks_.remove(number);
    }

    void bear(std::uint32_t number, const event& each, std::uint32_t thread) {
        block& fresh = blocks_[number];
        fresh.size = each.size;
        fresh.stands_for = each.blocks;
        fresh.birth = totals_.bytes;
        fresh.site = each.site;
        fresh.thread = thread & 0x3fff'ffff;
        blocks_.link(number, youngest_[thread]);
        if (sites_.size() <= each.site) sites_.resize(each.site + 1);
        site& where = sites_[each.site];
        ++where.recorded;
        where.blocks += each.blocks;
        where.bytes += each.size;
        where.live_bytes += each.size;
        const bool is_made = each.what == recorder::made || each.what == recorder::made_array;
        where.made += is_made ? each.blocks : 0;
        const std::uint64_t size = each.size / each.blocks;
        where.least_size = std::min(where.least_size, size);
        where.most_size = std::max(where.most_size, size);
        totals_.sizes[size > 1 ? std::bit_width(size - 1) : 0] += each.blocks;
        fresh.where = where.is_changed && is_made && change_.is_of_block(fresh.birth) ? change_.where : as_recorded;
        outgrown_.bear(number, fresh);
        tree_.allocate(where.path, each.size);
        totals_.bytes += each.size;
        totals_.live_bytes += each.size;
        totals_.live += each.blocks;
        totals_.most_blocks = std::max(totals_.most_blocks, totals_.live);
        if (totals_.live_bytes > totals_.most_bytes) grow();
    }

    void die(std::uint32_t number, std::uint32_t thread) {
        const block& gone = blocks_[number];
        site& where = sites_[gone.site];
        const bool is_by_other = gone.thread != thread;
        const bool is_youngest = blocks_.unlink(number, youngest_[gone.thread]);
        where.freed += gone.stands_for;
        where.by_others += is_by_other ? gone.stands_for : 0;
        where.in_stack_order += is_youngest && !is_by_other ? gone.stands_for : 0;
        where.live_bytes -= gone.size;
        if (outgrown_.die(number, gone, blocks_[outgrown_.youngest(gone.site)]) && change_.is_of_outgrown &&
            where.is_changed)
            births_.push_back(gone.birth);
        where.lifetimes[std::bit_width(totals_.bytes - gone.birth)] += gone.stands_for;
        tree_.free(where.path, gone.size);
        totals_.live_bytes -= gone.size;
        totals_.live -= gone.stands_for;
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
        replay_.add({number, shortened(each.size), each.what, alignment, static_cast<way>(blocks_[number].where), 0});
    }

    static std::uint32_t shortened(std::uint64_t size) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(size, 0xffff'ffff));
    }

    replay_writer& replay_;
    const change& change_;
    totals totals_;
    std::uint64_t noted_ = 0;
    std::vector<std::string> modules_;
    std::vector<site> sites_;
    call_tree tree_;
    address_map live_;
    block_table blocks_;
    outgrown_blocks outgrown_;
    timeline timeline_;
    std::vector<std::uint64_t> births_;
    std::vector<std::uint32_t> youngest_;  // block of each thread
    std::vector<std::uint32_t> moved_;     // the block that each thread's realloc takes
};

}
