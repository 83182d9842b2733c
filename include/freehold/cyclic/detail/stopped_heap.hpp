#pragma once
// stopped_heap: the view of a heap that threads share, while all its sessions are stopped. It differs from that of a
// thread in four points:
//
//   - gather() first moves the shared counts into the headers, and takes over the candidates of the sessions.
//   - An object without an owner that is queued for its session is in no list: only its session may destroy it.
//   - dispose() defers each destruction to the object's session, whose thread performs it as soon as it runs again.
//   - Blocks that sessions give back between two stops are kept: see shared_blocks.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/growing_buffer.hpp"
#include "cyclic_block.hpp"
#include "cyclic_cells.hpp"
#include "cyclic_header.hpp"
#include "cyclic_session.hpp"
#include "cyclic_thread.hpp"
#include "heap_view.hpp"
#include "mutator_registry.hpp"
#include "shared_owners.hpp"

namespace freehold::inline v0_2::detail {

class cyclic_inspector;  // of the diagnosis

// Requires: the session has stopped the others.
template <class Threading>
class stopped_heap final : public heap_view {
    using shared_owners = basic_shared_owners<Threading>;
    using session_type = cyclic_session<Threading>;

public:
    stopped_heap(mutator_registry<Threading>& registry, session_type& session) noexcept
        : heap_view(registry.state),
          registry_(registry),
          is_complete_(registry.adopt(session)),
          session_(registry.first_session()) {
        registry_.blocks.keep(true);
        if (is_complete_) gather();
    }

    ~stopped_heap() {
        registry_.free_kept(false);
        registry_.pace.set_work(state.search.is_searching(), state.wide_budget == 0);
    }

    // Returns: whether it has all objects of the heap: false if out of memory.
    [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }

    // Returns: whether a finalize() was called, which may have made objects.
    [[nodiscard]] bool has_finalized() const noexcept { return has_finalized_; }

    // The blocks belong to sessions, which change their lists between two stops. So each is marked.
    [[nodiscard]] cyclic_block* next_to_gather() noexcept override {
        while (session_ != nullptr) {
            for (; block_ != nullptr; block_ = block_->next) {
                if (std::exchange(block_->gathered, state.searches) != state.searches) return block_;
            }
            free_list_ = free_list_ != nullptr ? free_list_->next() : session_->free_lists;
            if (free_list_ == nullptr) session_ = session_->next;
            if (free_list_ != nullptr) block_ = free_list_->first_block();
        }
        return nullptr;
    }

    void complete_counts() noexcept override {
        has_finalized_ = true;
        gather();
    }

    void dispose(growing_buffer<cyclic_header*>& garbage) noexcept override {
        session_type* session = nullptr;
        for (cyclic_header* const header : garbage) {
            session_type& next = *registry_.session_of(cyclic_block::of(*header));
            if (&next != session) registry_.request_stop(next);
            session = &next;
            // The pace begins with what is left, as if they were destroyed now.
            session->freed -= static_cast<std::int64_t>(cyclic_block::of(*header).type->shape.bytes);
            session->defer(*header);
        }
    }

private:
    bool pass_each(bool (*look)(void*, cyclic_header&), void* context) noexcept override {
        bool all = true;
        each_block([&](cyclic_block& block) {
            cell_free_list::each_in(block, [&](cyclic_header& header) {
                // Not reached and without an owner, it is queued for its session.
                all = all && ((!header.is(cyclic_header::visited) && is_queued(header)) || look(context, header));
            });
        });
        return all;
    }

    // Returns: whether the object waits for its session, which alone may destroy it. One without an owner may also be a
    // part of a cycle that a finalizer has cut.
    [[nodiscard]] static bool is_queued(cyclic_header& header) noexcept {
        return !header.has_owners() && detail::has_shared_count<Threading>(header) &&
               detail::owners_beside<Threading>(header).seen().is(shared_owners::queued);
    }

    // Effects: completes the counts in the headers, and takes over the candidates and the growth of all sessions.
    void gather() noexcept {
        registry_.blocks.take_touched([this](auto use) { this->each_block(use); },
                                      [this](cyclic_block& block) { fold_touched(block); });
        std::size_t sessions = 0;
        registry_.each_session([&sessions](session_type&) { ++sessions; });
        // A step of a search takes longer than a stop, so that it costs little to stop often.
        const bool is_often = sessions == 1 || state.search.is_searching();
        const std::int64_t quantum = is_often ? cyclic_thread::min_growth : growth_of_several;
        state.grant_visits();
        state.cells = 0;
        state.blocks = 0;
        registry_.each_session([this, quantum](session_type& session) {
            receive_owned(session);
            session.count_growth(registry_.pace, quantum);
            take_candidates(session);
            state.lost_candidates |= std::exchange(session.lost_candidates, false);
            state.cells += session.cells;
            state.blocks += session.blocks;
        });
    }

    // Effects: takes over the candidates of the session, and corrects what it has guessed that they own.
    void take_candidates(session_type& session) noexcept {
        std::int64_t missed = 0;
        const std::size_t distance = session.candidates.each_of_some(
            max_asked, [&missed](cyclic_header& candidate) { missed += missed_bytes(candidate); });
        registry_.pace.count(missed * static_cast<std::int64_t>(distance), 0);
        if (state.candidates.empty()) return std::swap(state.candidates, session.candidates);
        while (cyclic_header* const candidate = session.candidates.last()) {
            session.candidates.remove_last();
            state.add_candidate(*candidate);
        }
    }

    // Returns: how many more bytes the object owns outside than was guessed when it became a candidate; 0 if fewer. A
    // guess that was too high is no credit: by those that own nothing, many credits would outweigh what few others own.
    // Effects: the next guess is closer.
    [[nodiscard]] static std::int64_t missed_bytes(cyclic_header& candidate) noexcept {
        const cyclic_type& type = *cyclic_block::of(candidate).type;
        if (type.usual_bytes == nullptr || !candidate.is_new()) return 0;
        const auto owned = static_cast<std::int64_t>(smaller(type.owned_bytes(candidate), most_owned));
        const std::int64_t missed = type.usual_bytes->correct(owned);
        return missed > 0 ? missed : 0;
    }

    // Effects: removes the objects with owners from those queued for the session.
    static void receive_owned(session_type& session) noexcept {
        std::size_t left = 0;
        for (cyclic_header* const header : session.arrivals) {
            if (header->has_owners()) {
                detail::owners_beside<Threading>(*header).clear(shared_owners::queued);
            } else {
                session.arrivals[left++] = header;
            }
        }
        session.arrivals.truncate(left);
    }

    void fold_touched(cyclic_block& block) noexcept {
        // relaxed, here and below: the other sessions are stopped
        if ((block.template thread<Threading>().fetch_and(~std::uint64_t{touched}, std::memory_order_relaxed) &
             touched) == 0)
            return;
        const cell_shape& shape = block.type->shape;
        auto* const counts = reinterpret_cast<shared_owners*>(block.memory() + shape.shared);
        const auto used = static_cast<std::size_t>(block.untouched - block.first_cell()) / shape.bytes;
        for (std::size_t i = 0; i < used; ++i) {
            if (counts[i].is_clear()) continue;
            std::byte* const cell = block.first_cell() + i * shape.bytes;
            if (cyclic_header::has_object(cell)) fold_count(*reinterpret_cast<cyclic_header*>(cell));
        }
    }

    void fold_count(cyclic_header& header) noexcept {
        const auto taken = detail::fold_shared_count<Threading>(header, shared_owners::candidate);
        if (taken.is(shared_owners::has_weak)) header.set(cyclic_header::has_weak);
        if (!header.has_owners() && taken.is(shared_owners::queued)) {
            // Only its session may destroy it.
            for (const auto listed : {cyclic_header::candidate, cyclic_header::postponed, cyclic_header::suspected})
                header.clear(listed);
            return;
        }
        if (taken.is(shared_owners::lost)) {
            detail::owners_beside<Threading>(header).clear(shared_owners::queued | shared_owners::lost);
        }
        if (taken.is(shared_owners::candidate) && header.may_become_candidate()) {
            registry_.pace.count(missed_bytes(header), 0);
            state.add_candidate(header);
        }
    }

    template <class Use>
    void each_block(Use use) {
        registry_.each_session([&use](session_type& session) { session.each_block(use); });
    }

    // A stop of several sessions takes as long as they take to make some hundred kilobytes.
    static constexpr std::size_t max_asked = 64;  // candidates of a session, for what they own
    static constexpr std::int64_t growth_of_several = 8 * cyclic_thread::min_growth;

    mutator_registry<Threading>& registry_;
    bool is_complete_;
    bool has_finalized_ = false;
    // Where it looks for postponed objects.
    session_type* session_;
    cell_free_list* free_list_ = nullptr;
    cyclic_block* block_ = nullptr;
};

}  // namespace freehold::detail
