#pragma once
// shared_deletion: trial deletion over all objects of a heap that threads share, while all its sessions are stopped.
//
// It differs from the run of one thread in three steps. gather() moves the shared counts into the headers first. The
// collecting thread calls finalize(). dispose_each() defers each destruction to the object's session, whose thread
// performs it as soon as it runs again.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/growing_buffer.hpp"
#include "cyclic_cells.hpp"
#include "cyclic_header.hpp"
#include "cyclic_session.hpp"
#include "mutator_registry.hpp"
#include "shared_owners.hpp"
#include "trial_deletion.hpp"

namespace freehold::detail {

// Requires: the session has stopped the others.
template <class Threading>
class shared_deletion final : public trial_deletion {
    using shared_owners = basic_shared_owners<Threading::template atomic>;
    using session_type = cyclic_session<Threading>;

public:
    shared_deletion(mutator_registry<Threading>& registry, session_type& session) noexcept
        : trial_deletion(registry.candidates), registry_(registry), is_complete_(registry.adopt(session)) {
        if (is_complete_) gather();
    }

    ~shared_deletion() override { give_back_candidates(); }

    // Effects: finds garbage, as trial_deletion does. Returns: the number of objects to be destroyed.
    std::size_t run_all() noexcept {
        // relaxed: statistics only
        registry_.runs.fetch_add(1, std::memory_order_relaxed);
        if (!is_complete_) return 0;
        const std::size_t found = run(no_limit);
        std::size_t cells = 0;
        std::size_t blocks = 0;
        registry_.each_session([&](session_type& session) {
            cells += session.cells;
            blocks += session.blocks;
        });
        registry_.each_session([&](session_type& session) {
            session.growth_left = growth_until_next(kept(), cells, blocks);
            session.candidates_elsewhere = 0;
        });
        return found;
    }

    // Returns: whether the run has all objects of the heap: false if out of memory.
    [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }

private:
    bool look_at_each(bool (*look)(trial_deletion&, cyclic_header&)) noexcept override {
        bool all = true;
        each_block([&](cyclic_block& block) {
            cell_free_list::each_in(block, [&](cyclic_header& header) {
                // Not reached and without an owner, it is queued for its session.
                const bool is_queued = !header.is(cyclic_header::visited) && !header.has_owners();
                all = all && (is_queued || look(*this, header));
            });
        });
        return all;
    }

    void finalize_each(growing_buffer<cyclic_header*>& garbage) noexcept override {
        give_back_candidates();  // a finalize() may destroy one, whose place is in this run's list
        trial_deletion::finalize_each(garbage);
        gather();
    }

    void dispose_each(growing_buffer<cyclic_header*>& garbage) noexcept override {
        for (cyclic_header* const header : garbage) {
            session_type& session = *registry_.session_of(cyclic_block::of(*header));
            session.defer(*header);
            registry_.request_stop(session);
        }
    }

    // Effects: completes the counts in the headers, and takes over the candidates of all sessions.
    void gather() noexcept {
        registry_.each_session([](session_type& session) { receive_owned(session); });
        each_block([this](cyclic_block& block) {
            // relaxed, here and below: the other sessions are stopped
            if ((block.thread.fetch_and(~std::uint64_t{touched}, std::memory_order_relaxed) & touched) == 0) return;
            cell_free_list::each_in(block, [this](cyclic_header& header) { settle_touched(header); });
        });
        registry_.each_session([this](session_type& session) {
            session.candidates.drop_dead();
            session.candidates.each([this](cyclic_header& candidate) {
                candidate.clear(cyclic_header::candidate);
                if (candidate.has_owners()) registry_.candidates.add_candidate(candidate);
            });
            session.candidates.truncate();
            registry_.candidates.lost_candidates |= std::exchange(session.lost_candidates, false);
        });
    }

    // Effects: removes the objects with owners from those queued for the session.
    static void receive_owned(session_type& session) noexcept {
        std::size_t left = 0;
        for (cyclic_header* const header : session.arrivals) {
            static_cast<void>(detail::settle<Threading>(*header, 0));
            if (header->has_owners()) {
                detail::owners_beside<Threading>(*header).clear(shared_owners::queued);
            } else {
                session.arrivals[left++] = header;
            }
        }
        session.arrivals.truncate(left);
    }

    void settle_touched(cyclic_header& header) noexcept {
        const auto taken = detail::settle<Threading>(header, shared_owners::candidate);
        if (taken.is(shared_owners::has_weak)) header.set(cyclic_header::has_weak);
        if (!header.has_owners()) return;
        if (taken.is(shared_owners::lost)) {
            detail::owners_beside<Threading>(header).clear(shared_owners::queued | shared_owners::lost);
        }
        if (taken.is(shared_owners::candidate) && header.may_become_candidate())
            registry_.candidates.add_candidate(header);
    }

    // Effects: leaves the candidates that the run has not visited to the next run.
    void give_back_candidates() noexcept {
        registry_.candidates.postpone_all();
        auto& left = registry_.candidates.postponed;
        left.drop_dead();
        left.each([this](cyclic_header& candidate) {
            candidate.clear(cyclic_header::postponed);
            registry_.use_shared(candidate);
            detail::owners_beside<Threading>(candidate).set(shared_owners::candidate);
        });
        left.truncate();
    }

    template <class Use>
    void each_block(Use use) {
        registry_.each_session([&use](session_type& session) {
            for (cell_free_list* free_list = session.free_lists; free_list != nullptr; free_list = free_list->next()) {
                free_list->each_block(use);
            }
        });
    }

    mutator_registry<Threading>& registry_;
    bool is_complete_;
};

}  // namespace freehold::detail
