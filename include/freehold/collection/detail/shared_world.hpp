#pragma once
// The sessions of a heap that threads share, and the objects that no session has any more.
//
// Every block belongs to the session that made it, whose thread alone counts plainly and frees cells in its blocks. A
// session that ends leaves the blocks with objects behind; the next collection gives them to its own session.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/assert.hpp"
#include "cell_supply.hpp"
#include "cyclic_block.hpp"
#include "cyclic_header.hpp"
#include "cyclic_session.hpp"
#include "session_stop.hpp"
#include "shared_header.hpp"
#include "shared_observations.hpp"

namespace freehold::detail {

class shared_world {
public:
    // Effects: the session is one of the heap's. Waits while the others are stopped.
    void begin(cyclic_session& session) {
        session_stop::lock held = stop_.locked();
        stop_.begin(held);
        session.next = sessions_;
        if (sessions_ != nullptr) sessions_->previous = &session;
        sessions_ = &session;
    }

    // Effects: ends what only this session can end, and leaves all other objects to those who count them.
    // Requires: no destructor or finalize() of a collected object is running in the thread.
    void end(cyclic_session& session) {
        FREEHOLD_EXPECTS(!session.is_ending(),
                         "the session ends or pauses in a destructor or finalize() of a collected object",
                         "freehold::cyclic_heap::session");
        session_stop::lock held = stop_.locked();
        for (stop_.stand_still(held); has_work(session); stop_.stand_still(held)) {
            held.unlock();
            receive(session);
            held.lock();
        }
        abandon(session);
        (session.previous != nullptr ? session.previous->next : sessions_) = session.next;
        if (session.next != nullptr) session.next->previous = session.previous;
        stop_.end();
    }

    // Effects: until resume() the session counts as standing still.
    void pause(cyclic_session& session) {
        FREEHOLD_EXPECTS(!session.is_ending(),
                         "the session ends or pauses in a destructor or finalize() of a collected object",
                         "freehold::cyclic_heap::session");
        receive(session);
        const session_stop::lock held = stop_.locked();
        stop_.end();
    }

    void resume(cyclic_session& session) {
        {
            session_stop::lock held = stop_.locked();
            stop_.begin(held);
        }
        receive(session);
    }

    // Effects: does what the session is asked for.
    [[gnu::noinline]] void stand_still(cyclic_session& session) {
        if (session.is_ending()) return;  // a container may be in the middle of its destruction
        {
            session_stop::lock held = stop_.locked();
            stop_.stand_still(held);
        }
        receive(session);
    }

    // Effects: calls work() while no session of the heap runs. Requires: as end().
    template <class Work>
    void stop(cyclic_session& session, Work work) {
        session_stop::lock held = stop_.locked();
        stop_.stop(held, [&] { each_session([](cyclic_session& each) { ask(each); }); });
        held.unlock();
        session.as_outermost(work);
        held.lock();
        stop_.resume();
        held.unlock();
        receive(session);
    }

    // Effects: writes the object down for the session that counts it plainly, if there is one.
    // Returns: whether there is; else the object is merged, and the caller is to ask whether it has ended.
    [[nodiscard]] bool deliver(cyclic_header& header) noexcept {
        const session_stop::lock held = stop_.locked();
        cyclic_session* const session = session_of(cyclic_block::of(header));
        if (session == nullptr) return false;
        if (!session->arrivals.push(&header)) session->lost_arrivals = true;
        ask(*session);
        return true;
    }

    // Effects: frees the cell of an object that no session had.
    void free_abandoned(cyclic_header& header) noexcept {
        cyclic_block& block = cyclic_block::of(header);
        const cell_shape& shape = block.type->shape;
        if (shape.count != 1) return cell_supply::close(&header, shape);
        const session_stop::lock held = stop_.locked();
        unlink(block);
        block.give_back();
    }

    // Effects: the session has all blocks that none has. Returns: whether there was memory enough.
    // Requires: it has stopped the others.
    [[nodiscard]] bool adopt(cyclic_session& session) noexcept {
        while (abandoned_ != nullptr) {
            cyclic_block& block = *abandoned_;
            cell_supply* const supply = block.type->supply();
            if (supply == nullptr) return false;
            unlink(block);
            supply->adopt(block, session);
            cell_supply::each_in(
                block, [](cyclic_header& header) { static_cast<void>(settle(header, shared_owners::merged)); });
        }
        return true;
    }

    template <class Use>
    void each_session(Use use) {
        for (cyclic_session* session = sessions_; session != nullptr; session = session->next) use(*session);
    }

    // Returns: the session that has the block, or a null pointer. Requires: the lock, or that nobody else runs.
    [[nodiscard]] cyclic_session* session_of(const cyclic_block& block) noexcept {
        const std::uint64_t id = block.thread.load(std::memory_order_relaxed);  // the lock orders
        cyclic_session* session = sessions_;
        while (session != nullptr && session->id != id) session = session->next;
        return session;
    }

    // Effects: nobody observes the object any more, unless somebody has become its owner meanwhile.
    // Returns: whether that is so. Requires: the object is observed, and had no owner that was counted here.
    [[nodiscard]] bool expire(cyclic_header& header) noexcept {
        return observations.expire(header, [&header] {
            static_cast<void>(settle(header, 0));
            return !header.has_owners();
        });
    }

    // Effects: asks the session to come to a safepoint.
    static void ask(cyclic_session& session) noexcept {
        session.is_asked.store(true, std::memory_order_relaxed);  // the lock orders what it is to find there
    }

    [[nodiscard]] bool has_sessions() const noexcept { return sessions_ != nullptr; }
    [[nodiscard]] bool has_abandoned() const noexcept { return abandoned_ != nullptr; }

    shared_observations observations;
    cyclic_thread candidates;  // of a collection
    std::atomic<bool> is_automatic = true;
    std::atomic<std::size_t> runs = 0;

private:
    [[nodiscard]] static bool has_work(cyclic_session& session) noexcept {
        return !session.arrivals.empty() || session.lost_arrivals || session.waiting != 0;
    }

    // Effects: ends the session's objects that have no owners, as others have found.
    void receive(cyclic_session& session) {
        growing_list<cyclic_header*> arrivals;
        bool lost = false;
        {
            const session_stop::lock held = stop_.locked();
            session.is_asked.store(stop_.is_stopped(), std::memory_order_relaxed);
            arrivals.swap(session.arrivals);
            lost = std::exchange(session.lost_arrivals, false);
        }
        for (cyclic_header* const header : arrivals) look_at(*header, session);
        if (lost) {
            each_object(session, [&session, this](cyclic_header& header) {
                if (owners_beside(header).seen().is(shared_owners::queued)) look_at(header, session);
            });
        }
        if (session.waiting != 0) session.as_outermost([&session] { session.work_off(); });
    }

    // Effects: the object, which was written down, waits for its destruction if it has no owners.
    void look_at(cyclic_header& header, cyclic_session& session) {
        const shared_owners::content taken = settle(header, shared_owners::queued);
        if (!header.has_owners() && (!taken.is(shared_owners::observed) || expire(header))) {
            if (header.place() != 0) session.clear_suspicion(header);
            session.put_off(header);
        } else if (header.is_unsuspected()) {
            session.suspect(header);
        }
    }

    // Effects: the objects of the session are no longer counted there, and their blocks are abandoned.
    // Requires: the lock.
    void abandon(cyclic_session& session) noexcept {
        for (cell_supply* supply = session.supplies; supply != nullptr; supply = supply->next()) {
            supply->trim();
            supply->each([](cyclic_header& header) {
                shared_owners& owners = owners_beside(header);
                if (header.place() != 0) owners.set(shared_owners::suspected);
                header.set_place(0);
                owners.merge(header.take_owners());
            });
            supply->abandon([this](cyclic_block& block) {
                // relaxed: that it is another's than the reader's was so before, and else the lock orders
                block.thread.store(0, std::memory_order_relaxed);
                block.is_touched.store(true, std::memory_order_relaxed);
                block.previous = nullptr;
                block.next = abandoned_;
                if (abandoned_ != nullptr) abandoned_->previous = &block;
                abandoned_ = &block;
            });
        }
    }

    void unlink(cyclic_block& block) noexcept {
        (block.previous != nullptr ? block.previous->next : abandoned_) = block.next;
        if (block.next != nullptr) block.next->previous = block.previous;
    }

    template <class Use>
    static void each_object(cyclic_session& session, Use use) {
        for (cell_supply* supply = session.supplies; supply != nullptr; supply = supply->next()) supply->each(use);
    }

    session_stop stop_;
    cyclic_session* sessions_ = nullptr;
    cyclic_block* abandoned_ = nullptr;
};

}  // namespace freehold::detail
