#pragma once
// biased_counting: the thread that makes an object counts with plain instructions, all others with atomic ones (Choi,
// Shull, Torrellas, "Biased reference counting", PACT 2018).
//
// An object is biased towards the thread that made it. That thread counts its owners apart; those of all other threads
// are counted in one word, in which the thread as a whole stands with a weight. Threads let go what others took, so the
// others' owners can be fewer than none. Who would make them so does not count its owner down, but sends it to the
// thread, which merges the two counts when it next makes an object, calls merge_biased_counts() or ends. From then on
// all threads count in the one word. The thread's own last release merges, too, and ends the object at once if there is
// no other owner. Where the thread has ended, the sender merges in its place.
//
// So the object ends in the thread that made it, or after the merge in any. An object whose last owner leaves in
// another thread lives until the first one passes by: until then it can be locked.
//
// Thread safety: owners of one object may be in any threads of one process.
// Exceptions: none. Complexity: constant; merging is linear in what was sent. Lock-free.
// Cost: 24 bytes, and one bias of 64 bytes for each thread that makes objects, reused and never freed. In the
// object's thread an owner more or less is no locked operation, nor is the last release of an unobserved object. In
// others it is one. A weak pointer is one in all.
// A child of fork has one thread: what was biased towards the others, and sent to them, is never destroyed in it.

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "../core/static_tls.hpp"
#include "../core/thread_end.hpp"
#include "../core/type_name.hpp"
#include "atomic_counting.hpp"
#include "counting_policy.hpp"
#include "detail/thread_bias.hpp"
#include "reference_count.hpp"
#include "shared_count.hpp"

namespace freehold {

struct biased_counting : atomic_counting {
    // How the word is counted in that all threads share.
    using word_counting = atomic_counting;

    template <class T>
    using atomic = std::atomic<T>;
};

namespace detail {

template <>
inline constexpr literal counting_prefix<biased_counting>{"biased_"};

}  // namespace detail

// A policy as this one: a test may count in its own way.
template <class Policy>
concept biased_policy = counting_policy<Policy> && counting_policy<typename Policy::word_counting> &&
                        requires { typename Policy::template atomic<std::uintptr_t>; };

// What a thread does with an object that nobody owns when its counts are merged: run(count) calls settle(), and ends
// it. The layer that keeps counts defines it (pointers/detail/control_block.hpp).
template <class Counting>
struct end_of_merged;

// Not there: an object that counts its own owners has one word for that.
template <biased_policy Counting>
class reference_count<Counting>;

// The word, in units of 2^60:
//   0             merged, as in shared_count: all threads count here
//   6             biased: weight, and the owners of the other threads, which are not fewer than none
//   3, 4          biased and sent: a lesser weight, and those owners, which may be fewer than none. The inbox it was
//                 sent to is one of them, so that nothing ends before it was found there
//   1, 2, 5, 7    a count was full; the next owner makes the object immortal
//   negative      ended or immortal, as in shared_count
// The weak pointers are in the lower bits, as there.
template <biased_policy Counting>
class shared_count<Counting> {
    using word_counting = typename Counting::word_counting;
    using merged_count = shared_count<word_counting>;
    using bias = detail::thread_bias<shared_count, Counting::template atomic>;
    using list = typename bias::list;

public:
    // An owner less is nothing that is worth looking for a way around.
    static constexpr bool release_is_locked = false;

    // Effects: merges what others have sent to the calling thread. Postconditions: owners() == 1, no weak pointer.
    shared_count() noexcept : shared_count(bias_of_maker()) {}

    shared_count(const shared_count&) = delete;
    shared_count& operator=(const shared_count&) = delete;

    // Effects: counts one owner more. Requires: the caller keeps the object alive.
    void acquire() noexcept {
        if (is_mine()) {
            (void)count_apart(1);
        } else {
            acquire_elsewhere();
        }
    }

    // Effects: counts one owner more, unless the object has ended. Returns: whether it did.
    [[nodiscard]] bool try_acquire() noexcept {
        count_word seen = observe();
        if (is_mine()) {  // it ends in this thread or not before the merge
            (void)count_apart(1);
            return true;
        }
        while (seen >= 0) {
            const count_word next = detail::wrapping_add(seen, one_owner);
            if (replace(seen, is_full(next) ? merged_count::immortal : next)) return true;
        }
        if (merged_count::is_ended(seen)) return false;
        word_counting::store(merged_.word_, merged_count::immortal);
        return true;
    }

    // Effects: counts one owner less, and calls rare() if that may have been the last or the object must be sent: then
    // rare() calls settle(), and nobody else does.
    template <class Rare>
    void release(Rare rare) noexcept {
        if (is_mine()) {
            if (count_apart(-1) == 0) [[unlikely]]
                merge_without_owners(rare);
        } else {
            release_elsewhere(rare);
        }
    }

    // Returns: what the release before it has left, as in shared_count.
    // Effects: may end other objects that were sent to the calling thread, or where it stands in for one that ended.
    [[nodiscard]] release_outcome settle() noexcept {
        // Whose object it is does not matter any more: another thread may have sent it since the release.
        if (!is_biased(observe())) return merged_.settle();
        send();
        return release_outcome::owned;
    }

    // Effects: merge(), unless the object is biased towards the calling thread.
    // Returns: true when the caller is the only owner and there is no weak pointer; false where another thread counts
    // apart.
    [[nodiscard]] bool is_sole() noexcept {
        if (is_mine()) return owners_apart() == 1 && observe() == weight + 1;
        merge();
        return merged_.is_sole();
    }

    void acquire_weak() noexcept { merged_.acquire_weak(); }
    [[nodiscard]] bool release_weak() noexcept { return merged_.release_weak(); }

    // Effects: leaves the count as a release of the only owner does. Requires: is_sole().
    void end() noexcept {
        merged_.end();
        forget_bias();
    }

    // Effects: if there is one owner, the caller, merges and ends as a release would, with the caller as a weak
    // pointer. Returns: whether it did; then all that earlier owners did happens before the return.
    [[nodiscard]] bool try_end() noexcept {
        if (is_mine() && owners_apart() != 1) return false;
        merge();
        return merged_.try_end();
    }

    // Effects: adds the first owner to a count that has ended without ever having had one; what was done before happens
    // before what follows a try_acquire that succeeds. Requires: the caller is counted as a weak pointer.
    void begin() noexcept {
        bias* const mine = bias::mine();
        if (mine == nullptr) return merged_.begin();
        // relaxed: in another thread than this one they tell nothing before the word does
        bias_or_link_.store(address_of(mine), std::memory_order_relaxed);
        apart_.store(1, std::memory_order_relaxed);
        word_counting::decrease(merged_.word_, -(weight + one_owner + 1), []() noexcept {});
    }

    void stash(std::uint32_t note) noexcept { merged_.stash(note); }
    [[nodiscard]] std::uint32_t unstash() noexcept { return merged_.unstash(); }

    // Effects: merges the two counts, unless the object was sent or another thread counts it apart.
    // Requires: the caller is an owner.
    void merge() noexcept {
        if (is_mine()) return merge_apart();
        // acquire: pairs with the release of what takes the place of the address, for the word to tell of it then
        const list found = bias_or_link_.load(std::memory_order_acquire);
        if (observe() < weight) return;
        bias& left = *reinterpret_cast<bias*>(found);
        if (!left.try_hold()) return;
        merge_apart();
        leave(left, bias::nobody);
    }

    // Effects: merges the counts of all objects that were sent to the calling thread, and ends those that nobody owns.
    static void merge_sent() noexcept {
        bias* const mine = bias::mine();
        if (mine != nullptr && mine->has_mail()) receive(*mine);
    }

    // Effects: merge_sent(), and the calling thread counts no object apart, until it makes one again. What others send
    // to it meanwhile, they merge themselves.
    static void leave_thread() noexcept {
        if (bias* const left = bias::resign()) leave(*left, bias::nobody);
    }

    // Returns: the number of owners, 0 if the object has ended; the greatest long for an immortal object. It is that of
    // some moment of the call in the object's thread and after the merge; in another thread it may mix two moments,
    // and an object that was sent has one owner at least.
    [[nodiscard]] long owners() const noexcept {
        const count_word seen = observe();
        if (!is_biased(seen)) return merged_.owners();
        const bool is_sent = seen < weight;
        const count_word elsewhere = (seen - (is_sent ? weight_when_sent : weight)) >> merged_count::owners_shift;
        return std::max<long>(1, owners_apart() + elsewhere - (is_sent ? 1 : 0));
    }

    // The place of the link, for an inbox.
    [[nodiscard]] auto& link() noexcept { return bias_or_link_; }

private:
    static constexpr count_word unit = count_word{1} << 60;
    static constexpr count_word weight = 6 * unit;
    static constexpr count_word weight_when_sent = 4 * unit;
    static constexpr count_word one_owner = merged_count::one_owner;
    static constexpr count_word most_apart = unit / one_owner;

    explicit shared_count(const bias* maker) noexcept
        : merged_(maker != nullptr ? weight + 1 : merged_count::sole_owner),
          bias_or_link_(maker != nullptr ? address_of(maker) : bias::nobody),
          apart_(1) {}

    static constexpr bool is_biased(count_word word) noexcept { return word >= 2 * unit; }

    // Whether only the object's thread has owners, and the object was not sent.
    static constexpr bool is_weight_alone(count_word word) noexcept {
        return word >= weight && word < weight + one_owner;
    }

    static constexpr bool is_full(count_word word) noexcept {
        const count_word units = word / unit;
        return word < 0 || units == 1 || units == 2 || units == 5 || units == 7;
    }

    // Returns: the word without its weight, when so many owners more are counted in it.
    static constexpr count_word merged(count_word elsewhere, count_word apart) noexcept {
        return apart > most_apart ? merged_count::immortal : elsewhere + (apart - 1) * one_owner;
    }

    static std::uintptr_t address_of(const bias* thread) noexcept { return reinterpret_cast<std::uintptr_t>(thread); }
    static shared_count& at(list address) noexcept { return *reinterpret_cast<shared_count*>(address); }

    [[nodiscard]] count_word observe() const noexcept { return word_counting::observe(merged_.word_); }

    bool replace(count_word& seen, count_word value) noexcept {
        return word_counting::replace(merged_.word_, seen, value);
    }

    // Whether the calling thread counts apart: the object is biased towards it, and has not come to its inbox.
    [[nodiscard]] bool is_mine() const noexcept {
        // relaxed: the address of a thread's bias is written and taken away by that thread, but by a sender who puts a
        // link in its place; to which of the two counts the thread adds until it finds out makes no difference
        return bias_or_link_.load(std::memory_order_relaxed) == address_of(bias::mine());
    }

    // Requires: no other thread can count apart, and the word says that the object was sent or is not biased any more.
    void forget_bias() noexcept {
        bias_or_link_.store(bias::nobody, std::memory_order_release);  // release: pairs with the acquire of merge()
    }

    // relaxed: one thread at a time writes it, and its next one is told by thread_bias::leave; others read it only to
    // say how many owners there are. Not a read-modify-write: that would be locked.
    [[nodiscard]] count_word owners_apart() const noexcept { return apart_.load(std::memory_order_relaxed); }
    count_word count_apart(count_word n) noexcept {
        const count_word now = owners_apart() + n;
        apart_.store(now, std::memory_order_relaxed);
        return now;
    }

    [[gnu::noinline]] void acquire_elsewhere() noexcept {
        word_counting::increase(merged_.word_, one_owner, []() noexcept {});
        if (is_full(observe())) [[unlikely]]
            word_counting::store(merged_.word_, merged_count::immortal);
    }

    template <class Rare>
    [[gnu::noinline]] void release_elsewhere(Rare rare) noexcept {
        for (count_word seen = observe(); is_biased(seen);) {
            if (is_weight_alone(seen)) {
                // The caller's owner is not counted down: the inbox has it now.
                if (replace(seen, seen - weight + weight_when_sent)) return rare();
            } else {
                const count_word next = seen - one_owner;
                if (replace(seen, is_full(next) ? merged_count::immortal : next)) return;
            }
        }
        merged_.release(rare);
    }

    // Requires: the caller holds the bias and is an owner.
    void merge_apart() noexcept {
        for (count_word seen = observe(); seen >= weight;) {
            if (replace(seen, merged(seen - weight, owners_apart()))) return forget_bias();
        }
    }

    // Requires: the caller's release said that it must be sent. Nobody merges it before that.
    [[gnu::noinline]] void send() noexcept {
        // relaxed: the word said that it is biased, and only its sender or a merge changes the address
        auto* const target = reinterpret_cast<bias*>(bias_or_link_.load(std::memory_order_relaxed));
        if (!target->send(*this)) leave(*target, merge_received(*this, bias::nobody));
    }

    // Requires: the object is biased towards the calling thread, which has no owner left.
    template <class Rare>
    [[gnu::noinline]] void merge_without_owners(Rare rare) noexcept {
        count_word seen = observe();
        bool is_last = false;
        do {
            if (seen == weight + 1) {  // nobody else can reach it
                end();
                return rare();
            }
            if (seen < weight) return merge_sent();  // it has come to the inbox, or will come
            is_last = is_weight_alone(seen);
            // Where others have owners, it ends in their threads or in this one: the owner that leaves is kept until
            // nothing more is written here.
        } while (!replace(seen, is_last ? seen - weight - one_owner : seen - weight));
        forget_bias();
        if (is_last) return rare();
        merged_.release(rare);
    }

    // Effects: merges the counts, less the owner that the inbox was. Requires: the caller holds the bias of the count,
    // whose link was read. Returns: `ended`, with the count in front if the object has no owner left.
    static list merge_received(shared_count& received, list ended) noexcept {
        const count_word apart = received.owners_apart();
        received.forget_bias();
        count_word seen = received.observe();
        count_word next = seen;
        do {
            if (seen < 0) return ended;  // immortal
            next = merged(seen - weight_when_sent, apart - 1);
            // Its release and acquire: whoever ends the object sees what was done here and in all other threads.
        } while (!received.replace(seen, next));
        if (!merged_count::is_ended(next)) return ended;
        received.bias_or_link_.store(ended, std::memory_order_relaxed);  // relaxed: read by this thread alone
        return reinterpret_cast<list>(&received);
    }

    static list merge_all(list received, list ended) noexcept {
        while (received != bias::nobody) {
            shared_count& each = at(received);
            received = each.bias_or_link_.load(std::memory_order_relaxed);  // relaxed: acquired by thread_bias::empty
            ended = merge_received(each, ended);
        }
        return ended;
    }

    static void end_all(list ended) noexcept {
        while (ended != bias::nobody) {
            shared_count& each = at(ended);
            ended = each.bias_or_link_.load(std::memory_order_relaxed);  // relaxed: written by this thread
            end_of_merged<Counting>::run(each);
        }
    }

    // Requires: the caller holds the bias.
    [[gnu::noinline]] static void receive(bias& held) noexcept { end_all(merge_all(held.empty(), bias::nobody)); }

    // Effects: leaves the bias to another thread when all that has come is merged, and ends what nobody owns. In this
    // order: a destructor may take its time, or wait for another thread that sends something.
    static void leave(bias& held, list ended) noexcept {
        while (!held.leave()) ended = merge_all(held.empty(), ended);
        end_all(ended);
    }

    // Returns: the bias of the calling thread, or null where it can have none.
    [[nodiscard]] static bias* bias_of_maker() noexcept {
        bias* const mine = bias::mine();
        if (mine == nullptr) [[unlikely]]
            return take_bias();
        if (mine->has_mail()) [[unlikely]]
            receive(*mine);
        return mine;
    }

    // In this order: the destructors of what nobody owns may make objects, and nobody would leave a bias they took.
    static void end_thread() noexcept {
        bias::end_thread();
        leave_thread();
    }

    [[gnu::noinline]] static bias* take_bias() noexcept {
        // A bias that nobody leaves would keep what is sent to it for ever.
        return detail::thread_end<end_thread>::arm() ? bias::take() : nullptr;
    }

    merged_count merged_;
    // The address of the bias until the object is sent or merged; then that of the next in a list.
    typename Counting::template atomic<std::uintptr_t> bias_or_link_;
    std::atomic<count_word> apart_;  // the owners in the thread that holds the bias
};

}  // namespace freehold
