#pragma once
// mutator_registry: the sessions of a heap, and the blocks that ended sessions have left.
//
// Every block belongs to the session that made it. Only that session counts plainly and frees cells in its blocks. A
// session that ends abandons its blocks with objects; the next collection gives them to its own session.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "../../core/assert.hpp"
#include "../../core/collected_generations.hpp"
#include "../../core/config.hpp"
#include "../../core/growing_buffer.hpp"
#include "../../tracing/safepoint.hpp"
#include "cyclic_cells.hpp"
#include "cyclic_header.hpp"
#include "cyclic_session.hpp"
#include "cyclic_thread.hpp"
#include "shared_blocks.hpp"
#include "shared_owners.hpp"
#include "weak_records.hpp"

namespace freehold::inline v0_2::detail {

template <class Threading>
class mutator_registry {
    using shared_owners = basic_shared_owners<Threading>;
    using session_type = cyclic_session<Threading>;

public:
    ~mutator_registry() {
        weak_records.clear();
        state.candidates.release();
        state.postponed.release();
    }

    // Effects: adds the session. Waits while the others are stopped.
    void begin(session_type& session) {
        safepoint_.enter();
        const mutex_lock held(mutex_);
        session.next = sessions_;
        if (sessions_ != nullptr) sessions_->previous = &session;
        sessions_ = &session;
        request_stop(session);  // who stops the sessions may have asked them already
        // Sessions may be shorter than a quantum: what they leave makes a later one collect.
        if (pace.is_due(false)) session.quantum = session.growth_left = 0;
    }

    // Effects: destroys the objects that only this session can destroy, abandons all others, and removes the session.
    // Requires: no destructor or finalize() of a collected object is running in the thread.
    void end(session_type& session) {
        FREEHOLD_EXPECTS(!session.is_destroying(),
                         "the session ends or pauses in a destructor or finalize() of a collected object",
                         "freehold::cyclic_heap::session");
        do {
            safepoint_.wait();
            receive(session);
        } while (!abandon_if_done(session));
        safepoint_.leave();
    }

    // Effects: until resume() the session counts as stopped.
    void pause(session_type& session) {
        FREEHOLD_EXPECTS(!session.is_destroying(),
                         "the session ends or pauses in a destructor or finalize() of a collected object",
                         "freehold::cyclic_heap::session");
        receive_if_asked(session);
        safepoint_.leave();
    }

    void resume(session_type& session) {
        safepoint_.enter();
        receive_if_asked(session);
    }

    // Effects: waits while the heap is stopped, and then handles the objects that others have queued.
    FREEHOLD_NOINLINE void wait_at_safepoint(session_type& session) {
        if (session.is_destroying()) return;  // a container may be in the middle of its destruction
        safepoint_.wait();
        receive(session);
    }

    // Effects: calls begin(), stops all sessions of the heap and calls work(); does nothing if another session stops
    // them at the same time, but comes to a safepoint. Returns: whether it did. Requires: as end().
    template <class Begin, class Work>
    bool try_stop(session_type& session, Begin begin, Work work) {
        const bool has_stopped = safepoint_.stop([&begin, this] {
            begin();
            const mutex_lock held(mutex_);
            each_session([](session_type& each) { request_stop(each); });
        });
        if (has_stopped) {
            session.as_outermost(work);
            safepoint_.resume();
        }
        receive(session);
        return has_stopped;
    }

    // Effects: stops all sessions of the heap and calls work(). Requires: as end().
    template <class Work>
    void stop(session_type& session, Work work) {
        while (!try_stop(session, [] {}, work)) {
        }
    }

    // Effects: queues the object for its session, if it has one.
    // Returns: whether it has one; else the object is merged, and the caller asks whether it is unowned.
    [[nodiscard]] bool deliver(cyclic_header& header) noexcept {
        const mutex_lock held(mutex_);
        session_type* const session = session_of(cyclic_block::of(header));
        if (session == nullptr) return false;
        if (!session->arrivals.push(&header)) {
            session->lost_arrivals = true;
            detail::owners_beside<Threading>(header).set(shared_owners::lost);
        }
        request_stop(*session);
        return true;
    }

    // Effects: frees the cell of an object without a session.
    void free_abandoned(cyclic_header& header) noexcept {
        cyclic_block& block = cyclic_block::of(header);
        const cell_shape& shape = block.type->shape;
        cell_free_list::close(&header, shape);
        if (shape.count != 1) return;
        const mutex_lock held(mutex_);
        unlink(block);
        blocks.give_back(block);
    }

    // Effects: gives all abandoned blocks to the session. Returns: false if out of memory.
    // Requires: the session has stopped the others.
    [[nodiscard]] bool adopt(session_type& session) noexcept {
        while (abandoned_ != nullptr) {
            cyclic_block& block = *abandoned_;
            cell_free_list* const free_list = block.type->free_list();
            if (free_list == nullptr) return false;
            unlink(block);
            block.template thread<Threading>().store(session.id | shared_flags,
                                                     std::memory_order_relaxed);  // relaxed: the others are stopped
            blocks.touch(block);
            free_list->adopt(block, session);
            cell_free_list::each_in(block, [](cyclic_header& header) {
                static_cast<void>(detail::fold_shared_count<Threading>(header, shared_owners::merged));
            });
        }
        return true;
    }

    template <class Use>
    void each_session(Use use) {
        for (session_type* session = sessions_; session != nullptr; session = session->next) use(*session);
    }

    [[nodiscard]] session_type* first_session() noexcept { return sessions_; }

    // Returns: the session that the block belongs to, or null. Requires: the lock, or that all others are stopped.
    [[nodiscard]] session_type* session_of(const cyclic_block& block) noexcept {
        const std::uint64_t id = block.template thread<Threading>().load(std::memory_order_relaxed) &
                                 ~std::uint64_t{shared_flags};  // the lock orders
        return id != no_session ? reinterpret_cast<session_type*>(static_cast<std::uintptr_t>(id)) : nullptr;
    }

    // Effects: the second count of the object exists, and the next collection reads it.
    void use_shared(cyclic_header& header) noexcept {
        cyclic_block& block = cyclic_block::of(header);
        // acquire: pairs with the release in use_shared_first
        if ((block.template thread<Threading>().load(std::memory_order_acquire) & shared_flags) != shared_flags)
            [[unlikely]]
            use_shared_first(block);
    }

    // Effects: as weak_records::expire.
    template <class IsUnowned>
    bool expire(cyclic_header& header, IsUnowned is_unowned) noexcept {
        if (!weak_records.expire(header, is_unowned)) return false;
        detail::owners_beside<Threading>(header).clear(shared_owners::has_weak);
        header.clear(cyclic_header::has_weak);
        return true;
    }

    // Effects: as expire(), for an object of the calling session, unless a weak pointer has become an owner meanwhile.
    // Requires: it has no owner in its header.
    [[nodiscard]] bool expire_own(cyclic_header& header) noexcept {
        return expire(header, [&header] {
            static_cast<void>(detail::fold_shared_count<Threading>(header, 0));
            return !header.has_owners();
        });
    }

    // Effects: gives back the blocks that were kept, unless lists refer to cells and few were kept.
    // Requires: the session has stopped the others.
    void free_kept(bool even_few) noexcept {
        const bool is_listing = !state.candidates.empty() || !state.postponed.empty() || state.search.is_searching();
        blocks.keep(is_listing);
        if (is_listing) {
            if (!even_few && !blocks.has_many_kept()) return;
            state.candidates.drop_dead();
            state.postponed.drop_dead();
            state.search.drop_dead();
        }
        blocks.free_kept();
    }

    // Effects: gives back all blocks without an object. Requires: as free_kept().
    void trim() noexcept {
        each_session([](session_type& session) { session.trim(); });
        free_kept(true);
    }

    // Effects: requests the session to come to a safepoint.
    static void request_stop(session_type& session) noexcept {
        session.stop_requested.store(true, std::memory_order_relaxed);  // the lock orders what it finds there
    }

    [[nodiscard]] bool has_sessions() const noexcept { return sessions_ != nullptr; }
    [[nodiscard]] bool has_abandoned() const noexcept { return abandoned_ != nullptr; }

    detail::weak_records<Threading> weak_records;
    cyclic_thread state;  // of the heap's collections; the sessions have its objects
    shared_blocks<Threading> blocks;
    shared_pace pace;
    std::atomic<bool> is_automatic = true;
    // Each collection is one call of this, if it is not null, and calls on_collection.
    std::atomic<bool (*)(session_type&, std::size_t budget, collected_generations&, std::size_t& found)>
        observed_collection = nullptr;
    std::atomic<void (*)(const cyclic_collection&)> on_collection = nullptr;
    std::atomic<std::size_t> runs = 0;

private:
    // Effects: abandons all objects of the session and removes it, unless it has objects to destroy. Returns: whether
    // it did.
    [[nodiscard]] bool abandon_if_done(session_type& session) {
        const mutex_lock held(mutex_);
        if (!session.arrivals.empty() || session.lost_arrivals || session.deferred != 0) return false;
        abandon(session);
        (session.previous != nullptr ? session.previous->next : sessions_) = session.next;
        if (session.next != nullptr) session.next->previous = session.previous;
        return true;
    }

    // Effects: as receive(), if there is anything to do. relaxed: what comes later waits for the next safepoint.
    void receive_if_asked(session_type& session) {
        if (session.stop_requested.load(std::memory_order_relaxed) || session.deferred != 0) receive(session);
    }

    // Effects: destroys the session's objects that have lost their last owner in another session.
    void receive(session_type& session) {
        for (bool all = false; !all; safepoint_.wait()) {
            all = handle_arrivals(session);
            if (session.deferred == 0) continue;
            session.as_outermost([&session, this] {
                // Between two of them the session can stop: no container is in the middle of its destruction.
                while (session.deferred != 0 && !safepoint_.is_stopped()) {
                    for (std::size_t i = 0; i < max_handled && session.deferred != 0; ++i) session.drain_one();
                }
            });
            all = all && session.deferred == 0;
        }
    }

    // Effects: handles some of the objects that others have queued. Returns: whether these were all.
    [[nodiscard]] bool handle_arrivals(session_type& session) {
        std::array<cyclic_header*, max_handled> arrived;
        std::size_t count = 0;
        bool lost = false;
        bool all = false;
        {
            const mutex_lock held(mutex_);
            while (!session.arrivals.empty() && count < max_handled) arrived[count++] = session.arrivals.pop();
            lost = std::exchange(session.lost_arrivals, false);
            all = session.arrivals.empty();
            session.stop_requested.store(!all || safepoint_.is_stopped(), std::memory_order_relaxed);
        }
        for (std::size_t i = 0; i < count; ++i) handle(*arrived[i], session);
        if (lost) {
            session.each_object([&session, this](cyclic_header& header) {
                // Not every queued one: another session may be about to deliver it, and it would be handled twice.
                if (!detail::has_shared_count<Threading>(header)) return;
                if (detail::owners_beside<Threading>(header).seen().is(shared_owners::lost)) handle(header, session);
            });
        }
        return all;
    }

    static constexpr std::size_t max_handled = 64;  // before a session asks whether to stop: a few microseconds

    // Effects: defers the destruction of a queued object if it has no owners; else makes it a candidate.
    void handle(cyclic_header& header, session_type& session) {
        FREEHOLD_EXPECTS(header.is(cyclic_header::live),
                         "an object was destroyed while it was queued: please report it", "freehold::cyclic_heap");
        const auto taken = detail::fold_shared_count<Threading>(header, shared_owners::queued | shared_owners::lost);
        if (!header.has_owners() && (!taken.is(shared_owners::has_weak) || expire_own(header))) {
            session.defer(header);
        } else if (header.may_become_candidate()) {
            session.add_candidate(header);
        }
    }

    // Effects: moves the counts of the session's objects out of their headers, and abandons the blocks.
    // Requires: the lock.
    void abandon(session_type& session) noexcept {
        session.count_growth(pace, session.quantum);
        session.trim();
        session.each_object([this](cyclic_header& header) {
            use_shared(header);
            shared_owners& owners = detail::owners_beside<Threading>(header);
            if (header.is(cyclic_header::candidate)) owners.set(shared_owners::candidate);
            header.clear(cyclic_header::candidate);
            owners.merge(header.take_owners());
        });
        for (cell_free_list* free_list = session.free_lists; free_list != nullptr; free_list = free_list->next()) {
            free_list->abandon([this](cyclic_block& block) {
                // release: pairs with use_shared and session_and_flags. Since C++20 this is not part of the release
                // sequence of use_shared_first, and who reads it uses the second counts.
                block.template thread<Threading>().store(no_session | shared_flags, std::memory_order_release);
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

    FREEHOLD_NOINLINE void use_shared_first(cyclic_block& block) noexcept {
        const mutex_lock held(shared_mutex_);
        if ((block.template thread<Threading>().load(std::memory_order_relaxed) & in_use) ==
            0) {  // relaxed: the lock orders
            const cell_shape& shape = block.type->shape;
            auto* const counts = reinterpret_cast<shared_owners*>(block.memory() + shape.shared);
            for (std::size_t i = 0; i < shape.count; ++i) ::new (static_cast<void*>(counts + i)) shared_owners();
        }
        // release: pairs with use_shared and session_and_flags
        if ((block.template thread<Threading>().fetch_or(shared_flags, std::memory_order_release) & touched) == 0)
            blocks.touch(block);
    }

    safepoint<Threading> safepoint_;
    typename Threading::mutex mutex_;  // of the two lists, and of each session's arrivals
    session_type* sessions_ = nullptr;
    cyclic_block* abandoned_ = nullptr;
    typename Threading::mutex shared_mutex_;  // while second counts are constructed
};

}  // namespace freehold::detail
