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
#include "cell_free_list.hpp"
#include "cyclic_block.hpp"
#include "cyclic_header.hpp"
#include "cyclic_session.hpp"
#include "safepoint.hpp"
#include "shared_header.hpp"
#include "shared_weak_records.hpp"

namespace freehold::detail {

template <class Threading>
class mutator_registry {
    using shared_owners = basic_shared_owners<Threading::template atomic>;
    using session_type = cyclic_session<Threading>;

public:
    // Effects: the session is one of the heap's. Waits while the others are stopped.
    void begin(session_type& session) {
        auto held = stop_.locked();
        stop_.begin(held);
        session.next = sessions_;
        if (sessions_ != nullptr) sessions_->previous = &session;
        sessions_ = &session;
    }

    // Effects: ends what only this session can end, and leaves all other objects to those who count them.
    // Requires: no destructor or finalize() of a collected object is running in the thread.
    void end(session_type& session) {
        FREEHOLD_EXPECTS(!session.is_ending(),
                         "the session ends or pauses in a destructor or finalize() of a collected object",
                         "freehold::cyclic_heap::session");
        auto held = stop_.locked();
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
    void pause(session_type& session) {
        FREEHOLD_EXPECTS(!session.is_ending(),
                         "the session ends or pauses in a destructor or finalize() of a collected object",
                         "freehold::cyclic_heap::session");
        receive(session);
        const auto held = stop_.locked();
        stop_.end();
    }

    void resume(session_type& session) {
        {
            auto held = stop_.locked();
            stop_.begin(held);
        }
        receive(session);
    }

    // Effects: does what the session is asked for.
    [[gnu::noinline]] void stand_still(session_type& session) {
        if (session.is_ending()) return;  // a container may be in the middle of its destruction
        {
            auto held = stop_.locked();
            stop_.stand_still(held);
        }
        receive(session);
    }

    // Effects: calls work() while no session of the heap runs. Requires: as end().
    template <class Work>
    void stop(session_type& session, Work work) {
        auto held = stop_.locked();
        stop_.stop(held, [&] { each_session([](session_type& each) { ask(each); }); });
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
        const auto held = stop_.locked();
        session_type* const session = session_of(cyclic_block::of(header));
        if (session == nullptr) return false;
        if (!session->arrivals.push(&header)) {
            session->lost_arrivals = true;
            detail::owners_beside<Threading>(header).set(shared_owners::lost);
        }
        ask(*session);
        return true;
    }

    // Effects: frees the cell of an object that no session had.
    void free_abandoned(cyclic_header& header) noexcept {
        cyclic_block& block = cyclic_block::of(header);
        const cell_shape& shape = block.type->shape;
        if (shape.count != 1) return cell_free_list::close(&header, shape);
        const auto held = stop_.locked();
        unlink(block);
        block.give_back();
    }

    // Effects: the session has all blocks that none has. Returns: whether there was memory enough.
    // Requires: it has stopped the others.
    [[nodiscard]] bool adopt(session_type& session) noexcept {
        while (abandoned_ != nullptr) {
            cyclic_block& block = *abandoned_;
            cell_free_list* const free_list = block.type->free_list();
            if (free_list == nullptr) return false;
            unlink(block);
            free_list->adopt(block, session);
            cell_free_list::each_in(block, [](cyclic_header& header) {
                static_cast<void>(detail::settle<Threading>(header, shared_owners::merged));
            });
        }
        return true;
    }

    template <class Use>
    void each_session(Use use) {
        for (session_type* session = sessions_; session != nullptr; session = session->next) use(*session);
    }

    // Returns: the session that has the block, or a null pointer. Requires: the lock, or that nobody else runs.
    [[nodiscard]] session_type* session_of(const cyclic_block& block) noexcept {
        const std::uint64_t id = block.thread.load(std::memory_order_relaxed);  // the lock orders
        session_type* session = sessions_;
        while (session != nullptr && session->id != id) session = session->next;
        return session;
    }

    // Effects: nobody observes the object any more, unless somebody has become its owner meanwhile.
    // Returns: whether that is so. Requires: the object is observed, and had no owner that was counted here.
    [[nodiscard]] bool expire(cyclic_header& header) noexcept {
        return weak_records.expire(header, [&header] {
            static_cast<void>(detail::settle<Threading>(header, 0));
            return !header.has_owners();
        });
    }

    // Effects: asks the session to come to a safepoint.
    static void ask(session_type& session) noexcept {
        session.is_asked.store(true, std::memory_order_relaxed);  // the lock orders what it is to find there
    }

    [[nodiscard]] bool has_sessions() const noexcept { return sessions_ != nullptr; }
    [[nodiscard]] bool has_abandoned() const noexcept { return abandoned_ != nullptr; }

    shared_weak_records<Threading> weak_records;
    cyclic_thread candidates;  // of a collection
    std::atomic<bool> is_automatic = true;
    std::atomic<std::size_t> runs = 0;

private:
    [[nodiscard]] static bool has_work(session_type& session) noexcept {
        return !session.arrivals.empty() || session.lost_arrivals || session.waiting != 0;
    }

    // Effects: ends the session's objects that have no owners, as others have found.
    void receive(session_type& session) {
        growing_list<cyclic_header*> arrivals;
        bool lost = false;
        {
            const auto held = stop_.locked();
            session.is_asked.store(stop_.is_stopped(), std::memory_order_relaxed);
            arrivals.swap(session.arrivals);
            lost = std::exchange(session.lost_arrivals, false);
        }
        for (cyclic_header* const header : arrivals) look_at(*header, session);
        if (lost) {
            each_object(session, [&session, this](cyclic_header& header) {
                // Not all that are queued: some are about to be written down, and would be looked at twice.
                if (detail::owners_beside<Threading>(header).seen().is(shared_owners::lost)) look_at(header, session);
            });
        }
        if (session.waiting != 0) session.as_outermost([&session] { session.work_off(); });
    }

    // Effects: the object, which was written down, waits for its destruction if it has no owners.
    void look_at(cyclic_header& header, session_type& session) {
        FREEHOLD_EXPECTS(header.is(cyclic_header::live), "an object ended while it was written down: please report it",
                         "freehold::cyclic_heap");
        const auto taken = detail::settle<Threading>(header, shared_owners::queued | shared_owners::lost);
        if (!header.has_owners() && (!taken.is(shared_owners::observed) || expire(header))) {
            if (header.place() != 0) session.clear_suspicion(header);
            session.put_off(header);
        } else if (header.is_unsuspected()) {
            session.suspect(header);
        }
    }

    // Effects: the objects of the session are no longer counted there, and their blocks are abandoned.
    // Requires: the lock.
    void abandon(session_type& session) noexcept {
        for (cell_free_list* free_list = session.free_lists; free_list != nullptr; free_list = free_list->next()) {
            free_list->trim();
            free_list->each([](cyclic_header& header) {
                shared_owners& owners = detail::owners_beside<Threading>(header);
                if (header.place() != 0) owners.set(shared_owners::suspected);
                header.set_place(0);
                owners.merge(header.take_owners());
            });
            free_list->abandon([this](cyclic_block& block) {
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
    static void each_object(session_type& session, Use use) {
        for (cell_free_list* free_list = session.free_lists; free_list != nullptr; free_list = free_list->next())
            free_list->each(use);
    }

    safepoint<Threading> stop_;
    session_type* sessions_ = nullptr;
    cyclic_block* abandoned_ = nullptr;
};

}  // namespace freehold::detail
