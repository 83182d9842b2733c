#pragma once
// What a search for garbage in steps (search_steps.hpp) has found so far.
//
// The program may store and move pointers between the steps, so this is a hint: the suspects may be alive. But what was
// garbage when the search began is a suspect at its end. Nobody changes garbage, so that all edges to it were found,
// and nothing that is alive leads to it.
//
// An object that dies leaves its entries behind, as in candidate_list. A suspect whose cell has another object counts
// as no suspect, as that has no flag; where both were found, edges count twice, and a suspect more goes through trial
// deletion.

#include <cstddef>
#include <cstdint>

#include "../../core/config.hpp"
#include "../../core/growing_buffer.hpp"
#include "cyclic_header.hpp"

namespace freehold::inline v0_2::detail {

// Trivially destructible and constant-initialized, as part of a thread's static data.
class search_state {
public:
    [[nodiscard]] bool is_searching() const noexcept { return stage_ != stage::none; }
    [[nodiscard]] bool is_gathering() const noexcept { return stage_ == stage::gather; }
    [[nodiscard]] bool is_exploring() const noexcept { return stage_ == stage::explore; }
    [[nodiscard]] bool is_sifting() const noexcept { return stage_ == stage::sift; }
    [[nodiscard]] bool is_proving() const noexcept { return stage_ == stage::prove; }
    [[nodiscard]] bool is_ending() const noexcept { return stage_ == stage::end; }

    // The number of entries.
    [[nodiscard]] std::size_t size() const noexcept { return found_.size(); }

    // Effects: begins a search. Requires: there is none.
    void begin() noexcept {
        next_ = 0;
        kept_ = 0;
        in_vain_ = 0;
        destroyed_ = 0;
        garbage_ = 0;
        round_ = 0;
        is_proving_small_parts_ = true;
        stage_ = stage::gather;
    }

    // Gather. An object that becomes a candidate from now on is one for the next search.

    // Effects: the search begins with this candidate. Returns: false if out of memory.
    [[nodiscard]] bool begin_with(cyclic_header& candidate) noexcept {
        if (!found_.push(&candidate)) return false;
        candidate.clear(cyclic_header::postponed);
        candidate.set(cyclic_header::suspected);
        candidate.set_edges(0);
        return true;
    }

    void finish_gathering() noexcept {
        begun_with_ = found_.size();
        stage_ = stage::explore;
    }

    // Explore.

    // Returns: the next object whose edges to count; null if there is none.
    [[nodiscard]] cyclic_header* next_to_explore() noexcept {
        while (next_ < found_.size()) {
            constexpr std::size_t ahead = 8;
            if (next_ + ahead < found_.size()) FREEHOLD_PREFETCH(found_[next_ + ahead]);
            cyclic_header* const header = found_[next_++];
            if (is_suspect(header)) return header;
        }
        return nullptr;
    }

    // Effects: goes on to sift, if there is nothing left to explore.
    void finish_exploring() noexcept {
        if (next_ < found_.size()) return;
        next_ = 0;
        stage_ = stage::sift;
    }

    // Effects: counts an edge to the object. Returns: false if out of memory.
    [[nodiscard]] bool add_edge_to(cyclic_header& target) noexcept {
        if (target.is(cyclic_header::suspected)) {
            target.add_found_edge();
            return true;
        }
        if (!found_.push(&target)) return false;
        target.set(cyclic_header::suspected);
        target.set_edges(1);
        return true;
    }

    // Sift.

    // Effects: looks at `budget` entries at most, and subtracts their number. Returns: the next object that is alive,
    // of which all that it leads to is alive; null if there is none, or the budget is used up.
    [[nodiscard]] cyclic_header* next_alive(std::size_t& budget) noexcept {
        while (!alive_.empty()) {
            cyclic_header* const header = alive_.pop();
            if (header != nullptr && cyclic_header::has_object(header)) return header;
        }
        for (; next_ < found_.size() && budget > 0; --budget) {
            constexpr std::size_t ahead = 8;
            if (next_ + ahead < found_.size()) FREEHOLD_PREFETCH(found_[next_ + ahead]);
            cyclic_header* const header = found_[next_++];
            if (!is_suspect(header) || !header->has_more_owners()) continue;
            header->clear(cyclic_header::suspected);
            return header;
        }
        return nullptr;
    }

    // Effects: goes on to prove, if there is nothing left to sift.
    void finish_sifting() noexcept {
        if (next_ < found_.size() || !alive_.empty()) return;
        next_ = 0;
        stage_ = stage::prove;
    }

    // Effects: the object is no suspect, and what it leads to is to be no suspect either. Returns: false if out of
    // memory.
    [[nodiscard]] bool acquit(cyclic_header& target) noexcept {
        if (!target.is(cyclic_header::suspected)) return true;
        if (!alive_.push(&target)) return false;
        target.clear(cyclic_header::suspected);
        return true;
    }

    // Prove: each suspect with those around it, in rounds, as long as that finds garbage: a part that is owned by
    // another is found after that one. The first rounds leave out large parts, as one small part that leads to a large
    // one would let its proof fail. Then those that are left together.

    [[nodiscard]] bool is_proving_small_parts() const noexcept { return is_proving_small_parts_; }
    [[nodiscard]] bool is_proving_the_rest() const noexcept { return round_ == last_round; }

    // Returns: the next suspect of those that the search began with; null at the end of the round. The oldest come
    // first.
    [[nodiscard]] cyclic_header* next_to_prove() noexcept {
        while (next_ < begun_with_) {
            cyclic_header* const header = found_[next_++];
            if (!is_suspect(header) || header->edges() == tried_mark()) continue;
            if (!is_proving_small_parts_ || header->edges() != large_mark) return header;
        }
        return nullptr;
    }

    // Effects: notes a visited suspect, which is not to be tried again in this round.
    void note_tried(cyclic_header& header) const noexcept { header.set_edges(tried_mark()); }

    // Effects: notes a visited suspect of a large part.
    static void note_large(cyclic_header& header) noexcept { header.set_edges(large_mark); }

    // Effects: notes how many suspects were visited, and how many of them destroyed.
    void note_proof(std::size_t visited, std::size_t destroyed) noexcept {
        in_vain_ += visited - destroyed;
        destroyed_ += destroyed;
        garbage_ += destroyed;
    }

    // Returns: the number of objects that the search has destroyed.
    [[nodiscard]] std::size_t garbage() const noexcept { return garbage_; }

    // Effects: begins the next round, or ends the last one.
    void finish_round() noexcept {
        if (round_ == last_round) {
            next_ = 0;
            stage_ = stage::end;
            return;
        }
        const bool is_useful = destroyed_ != 0 && in_vain_ < found_.size();
        round_ = is_useful || is_proving_small_parts_ ? round_ + 1 : last_round;
        if (!is_useful) is_proving_small_parts_ = false;
        destroyed_ = 0;
        next_ = 0;
    }

    // End.

    // Effects: looks at `budget` entries at most, and subtracts their number. At the end of the search no object is
    // suspected any longer, the memory is freed, and `kept` is the number of those that were found and are alive.
    void end(std::size_t& budget, std::size_t& kept) noexcept {
        for (; next_ < found_.size() && budget > 0; --budget) {
            cyclic_header* const header = found_[next_++];
            if (header == nullptr || !cyclic_header::has_object(header)) continue;
            header->clear(cyclic_header::suspected);
            ++kept_;
        }
        if (next_ < found_.size()) return;
        kept = kept_;
        release();
    }

    // Effects: ends the search: calls add_candidate(header) for what may be garbage that it has not destroyed.
    template <class AddCandidate>
    void give_up(AddCandidate add_candidate) noexcept {
        if (is_gathering()) begun_with_ = found_.size();
        for (std::size_t i = 0; i < found_.size(); ++i) {
            cyclic_header* const header = found_[i];
            if (!is_suspect(header)) continue;
            header->clear(cyclic_header::suspected);
            if (i < begun_with_) add_candidate(*header);
        }
        release();
    }

    // Effects: drops the entries of the dead. Complexity: linear in the entries.
    void drop_dead() noexcept {
        replace([](cyclic_header* header) { return !cyclic_header::has_object(header); });
    }

    // Effects: no entry refers to the cell. Complexity: linear in the entries.
    void remove(cyclic_header& cell) noexcept {
        replace([&cell](cyclic_header* header) { return header == &cell; });
    }

private:
    enum class stage : unsigned char { none, gather, explore, sift, prove, end };

    [[nodiscard]] static bool is_suspect(cyclic_header* header) noexcept {
        return header != nullptr && cyclic_header::has_object(header) && header->is(cyclic_header::suspected);
    }

    // Effects: replaces the entries by null for which is_gone(header) holds. The others keep their places.
    template <class IsGone>
    void replace(IsGone is_gone) noexcept {
        for (growing_buffer<cyclic_header*>* const list : {&found_, &alive_}) {
            for (cyclic_header*& header : *list) {
                if (header != nullptr && is_gone(header)) header = nullptr;
            }
        }
    }

    void release() noexcept {
        found_.release();
        alive_.release();
        stage_ = stage::none;
    }

    [[nodiscard]] std::uint32_t tried_mark() const noexcept { return cyclic_header::max_edges - round_; }

    static constexpr std::uint32_t last_round = 1000;
    static constexpr std::uint32_t large_mark = cyclic_header::max_edges - last_round;

    growing_buffer<cyclic_header*> found_;  // the candidates, then in the order in which they were found
    growing_buffer<cyclic_header*> alive_;  // to be traced
    std::size_t begun_with_ = 0;            // candidates
    std::size_t next_ = 0;                  // the entry to look at
    std::size_t kept_ = 0;                  // entries with an object, at the end
    stage stage_ = stage::none;
    bool is_proving_small_parts_ = true;
    std::uint32_t round_ = 0;    // of the proof
    std::size_t in_vain_ = 0;    // visits in all rounds
    std::size_t destroyed_ = 0;  // in this round
    std::size_t garbage_ = 0;    // destroyed in all rounds
};

}  // namespace freehold::detail
