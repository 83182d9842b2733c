#pragma once
// Marks what can be reached. The marker is the visitor that `trace` gets. Objects that it has marked but not yet traced
// are on a stack of its own, so that chains may have any length. What leaves the stack waits in a short queue until it
// is prefetched: a full collection of a tree of 4 million nodes in random order takes 95 ms instead of 265.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/assert.hpp"
#include "../../core/config.hpp"
#include "../../core/growing_buffer.hpp"
#include "../../core/platform/threads.hpp"
#include "../../core/type_name.hpp"
#include "../../tracing/hidden_pointers.hpp"
#include "../../tracing/points_directly.hpp"
#include "../../tracing/trace.hpp"
#include "chunk_table.hpp"
#include "container_watch.hpp"
#include "external_memory.hpp"
#include "helped_gray.hpp"
#include "marking_cycle.hpp"
#include "marking_team.hpp"
#include "traced_chunk.hpp"
#include "traced_handle.hpp"

namespace freehold::inline v0_2::detail {

class traced_marker {
public:
    // Whether a member that a trace(visit) names hides no pointers. It does not compile if it does.
    template <class Member>
    static constexpr bool accepts = is_open<Member>;

    // Returns: how many small objects take as long to trace as one of this type.
    [[nodiscard]] static std::size_t work_of(const traced_type& type) noexcept {
        const bool is_array = type.cell_bytes > traced_chunk::max_cell_bytes && type.trace_part != nullptr;
        return is_array ? type.cell_bytes / bytes_for_an_object : 1;
    }

    // Effects: prepares for a collection, or for a step of the cycle. Requires: no object is made until all is marked,
    // or the step has ended.
    void begin(const container_watch& watch, marking_cycle& cycle, external_memory& external) noexcept {
        wide_ = &wide_chunks::of_thread();
        last_near_ = cycle.is_running ? 0 : wide_chunks::last_near_for_now();
        watch_ = &watch;
        cycle_ = &cycle;
        external_ = &external;
    }

    // Effects: this is the marker of the helper from now on, of the heap with these chunks. It asks no thread for what
    // its heaps have, since that changes while it marks.
    void help(const wide_chunk_list& own_chunks, marking_cycle& cycle) noexcept {
        helped_chunks_ = &own_chunks;
        cycle_ = &cycle;
    }

    // Effects: as begin, but the targets of pointers are added to the list, and nothing is marked.
    void record(growing_buffer<const void*>& targets, const container_watch& watch) noexcept {
        last_near_ = 0;
        recorded_ = &targets;
        retracing_ = true;
        watch_ = &watch;
    }

    // Effects: marks what the object's pointers lead to.
    template <class T>
    void trace(const T& object) {
        if constexpr (container_watch::is_on) {
            object_ = type_name<T>;
            inside_ = {};
            if constexpr (!may_lead_outside<T>)
                inside_ = {reinterpret_cast<const std::byte*>(std::addressof(object)), sizeof(T)};
        }
        freehold::trace(object, *this);
    }

    // Effects: marks what a traced pointer leads to.
    template <class Pointer>
    void operator()(const Pointer& pointer) noexcept {
        static_assert(std::is_base_of_v<traced_handle_tag, Pointer>,
                      "freehold: a traced_heap does not follow the cyclic_ptr in this object; hold a traced_ptr, or a "
                      "shared_ptr from shared_root(pointer)");
        if constexpr (container_watch::is_on) {
            check_inside(std::addressof(pointer));
            const void* const target = target_of(pointer);
            if (target != nullptr && helped_chunks_ == nullptr)
                watch_->check_edge(std::addressof(pointer), target, object_);
        }
        mark(target_of(pointer));
    }

    // Effects: marks the object, and traces it later unless it was marked before. Requires: null, or an address in an
    // object.
    void mark(const void* address) noexcept {
        if (address == nullptr) return;
        if (std::bit_cast<std::uintptr_t>(address) > last_near_) [[unlikely]]
            return mark_far(address);
        mark_near(address);
    }

    // Effects: as trace. Returns: the number of pointers. A function of its own, because counting costs something for
    // each pointer.
    template <class T>
    [[nodiscard]] std::size_t count_edges(const T& object) {
        if constexpr (container_watch::is_on) {
            object_ = type_name<T>;
            inside_ = {};
        }
        std::size_t edges = 0;
        const auto visit = [this, &edges](const auto& pointer) {
            ++edges;
            (*this)(pointer);
        };
        freehold::trace(object, visit);
        return edges;
    }

    // Effects: traces a large array: in a cycle slice by slice; in a young collection not, if it counts more than all
    // that the collection may trace: then the marker is not drained.
    void trace_large(const void* cell, const traced_type& type) {
        const partly_traced whole = {static_cast<const std::byte*>(cell), &type, 0};
        if (!retracing_ && traces_gray_) {
            if (!gray_->arrays.push(whole)) note_overflow();
        } else if (!retracing_ && work_of(type) > most_) {
            if (!left_.push(whole)) overflowed_ = true;
        } else {
            type.trace_part(whole.cell, whole.cell, whole.cell + type.cell_bytes, *this);
        }
    }

    // Effects: asks the object what it owns outside of the heap, unless it was traced before.
    void ask(const void* object, std::size_t (*owned)(const void*) noexcept) noexcept {
        if (retracing_) return;
        const std::size_t bytes = owned(object);
        if (team_ != nullptr) return team_->one_at_a_time([&] { external_->marked.add(object, owned, bytes); });
        if (!traces_gray_) external_->marked.add(object, owned, bytes);
        if (cycle_->is_running) external_->reached.add(object, owned, bytes);
    }

    // Effects: traces an object again.
    void look_into(const traced_type& type, const void* object) {
        if (type.trace == nullptr) return;
        retracing_ = true;
        type.trace(object, *this);
        retracing_ = false;
    }

    // Effects: the same. In a cycle, what a white object leads to stays white.
    void look_into(const traced_block& block, std::size_t index) {
        passes_old_ = cycle_->is_running && !block.is_reached(index);
        look_into(*block.type, block.cell(index));
        passes_old_ = false;
    }

    // Effects: the same for what the object has between two addresses, or more.
    void look_into(const traced_block& block, std::size_t index, std::span<const std::byte> part) {
        if (block.type->trace_part == nullptr) return look_into(block, index);
        passes_old_ = cycle_->is_running && !block.is_reached(index);
        block.type->trace_part(block.cell(index), part.data(), part.data() + part.size(), *this);
        passes_old_ = false;
    }

    // Effects: traces objects on the stack, and what can be reached from them: all, or `most` objects.
    // Returns: their number.
    std::size_t drain(std::size_t most = (std::numeric_limits<std::size_t>::max)()) {
        most_ = most;
        const std::size_t traced = drain(stack_, most);
        most_ = (std::numeric_limits<std::size_t>::max)();
        return traced;
    }

    // Effects: traces up to `most` objects of the stack.
    [[nodiscard]] std::size_t drain_some(std::size_t most) { return drain(stack_, most); }

    // Effects: as drain(), with `helpers` other threads, at most max_helpers, and who joins the team after call().
    // Returns: the number of objects that they have traced. The numbers of marks are to be counted afterwards.
    template <class Call>
    std::size_t drain_with(marking_team& team, std::size_t helpers, Call call) noexcept {
        struct helper {
            traced_marker marker;
            marking_team* team;
            native_thread thread;
        };
        helpers = detail::smaller(helpers, max_helpers);
        helper* const all = helpers == 0 ? nullptr : new (std::nothrow) helper[helpers];
        team.begin();
        call();
        std::size_t begun = 0;
        for (; all != nullptr && begun < helpers && team.join(); ++begun) {
            helper& each = all[begun];
            each.team = &team;
            each.marker.watch_ = watch_;
            each.marker.cycle_ = cycle_;
            each.marker.external_ = external_;
            each.marker.wide_ = wide_;
            const auto run = [](void* self) -> void* {
                auto& own = *static_cast<helper*>(self);
                own.marker.work_for(*own.team);
                return nullptr;
            };
            if (each.thread.start(run, &each)) continue;
            team.leave(0, false);
            break;
        }
        // Nobody else marks before work_for() gives something away, so until then a mark is no locked operation.
        std::size_t alone = 0;
        while (!stack_.empty() && !team.has_waiting()) alone += drain(stack_, at_once);
        work_for(team);
        for (std::size_t i = 0; i < begun; ++i) all[i].thread.join();
        delete[] all;
        const std::size_t together = team.end();
        overflowed_ = team.has_overflowed();
        return alone + together;
    }

    // Effects: marks until the team has marked all. Requires: it is a member, and leaves.
    void work_for(marking_team& team) {
        team_ = &team;
        const std::uintptr_t last_near = std::exchange(last_near_, 0);
        std::size_t traced = 0;
        do {
            while (!stack_.empty()) {
                traced += drain(stack_, at_once);
                team.share(stack_);
            }
        } while (team.take(stack_));
        team_ = nullptr;
        last_near_ = last_near;
        team.leave(traced, take_overflow());
    }

    // Returns: whether all marked objects have been traced, except gray ones.
    [[nodiscard]] bool is_drained() const noexcept { return stack_.empty() && left_.empty() && !overflowed_; }

    // Effects: the objects on the stack will not be traced. In a cycle they become gray.
    void give_up() noexcept {
        if (cycle_->is_running) {
            const bool has_all = cycle_->gray.objects.append(stack_) && cycle_->gray.arrays.append(left_);
            if (!has_all || overflowed_) cycle_->overflowed = true;
        }
        stack_.truncate(0);
        left_.truncate(0);
        overflowed_ = false;
    }

    // Effects: traces up to `most` gray objects. Returns: their number. Within a collection, `drain` must follow.
    std::size_t trace_gray(std::size_t most) {
        std::size_t traced = 0;
        while (traced < most) {
            gray_objects* const from = cycle_->any_gray();
            if (from == nullptr) break;
            traced += trace_gray(*from, most - traced);
        }
        return traced;
    }

    // Effects: the same of those objects.
    std::size_t trace_gray(gray_objects& from, std::size_t most) {
        gray_ = &from;
        traces_gray_ = true;
        std::size_t traced = 0;
        while (traced < most && !from.empty()) {
            traced += from.objects.empty() ? trace_slice() : drain(from.objects, most - traced);
        }
        traces_gray_ = false;
        return traced;
    }

    // Effects: as trace_gray, between collections. Young objects are left to the next young collection, as all edges to
    // them are remembered. Requires: the helper is parked, or the objects are not its own.
    std::size_t step(std::size_t most) {
        passes_young_ = true;
        const std::size_t traced = trace_gray(most);
        passes_young_ = false;
        return traced;
    }

    std::size_t step(gray_objects& from, std::size_t most) {
        passes_young_ = true;
        const std::size_t traced = trace_gray(from, most);
        passes_young_ = false;
        return traced;
    }

    // Effects: traces all objects on the stack, and gray ones if the cycle `ends`, and what can be reached from them.
    // Calls seen(object) for each before it is traced.
    template <class Seen>
    void drain_all(bool ends, Seen seen) {
        while (!stack_.empty() || (ends && !cycle_->has_no_gray())) {
            traces_gray_ = stack_.empty();
            if (traces_gray_) gray_ = cycle_->any_gray();
            if (traces_gray_ && gray_->objects.empty()) {
                trace_slice();
                continue;
            }
            const std::byte* const object = traces_gray_ ? gray_->objects.pop() : stack_.pop();
            seen(object);
            const traced_type& type = *wide_chunks::block_of(object).type;
            if (type.trace != nullptr) type.trace(object, *this);
        }
        traces_gray_ = false;
    }

    // Returns: whether the stack was out of memory, so that marked objects were not traced. Effects: resets this.
    [[nodiscard]] bool take_overflow() noexcept { return std::exchange(overflowed_, false); }

private:
    // A marker traces as many before it looks whether others have nothing to do.
    static constexpr std::size_t at_once = 128;

    // More have nothing to do. Without a limit, g++ warns of a size that no array can have.
    static constexpr std::size_t max_helpers = 255;

    // Tracing this part of an array takes as long as tracing one object elsewhere.
    static constexpr std::size_t bytes_for_an_object = 32;
    static constexpr std::size_t slice_bytes = std::size_t{4} * 1024;

    // Effects: traces a slice of the last array. Returns: the number of objects that take as long.
    std::size_t trace_slice() {
        partly_traced& array = *(gray_->arrays.end() - 1);
        const std::byte* const begin = array.cell + array.next;
        const std::size_t bytes = detail::smaller(slice_bytes, array.type->cell_bytes - array.next);
        const traced_type& type = *array.type;
        const std::byte* const cell = array.cell;
        array.next += bytes;
        if (array.next == type.cell_bytes) (void)gray_->arrays.pop();
        type.trace_part(cell, begin, begin + bytes, *this);
        return bytes / bytes_for_an_object + 1;
    }

    // Requires: the pointer is in the object that is being traced, if that points directly.
    void check_inside(const void* pointer) const noexcept {
        [[maybe_unused]] const bool the_pointer_is_in_the_object =
            inside_.empty() ||
            std::bit_cast<std::uintptr_t>(pointer) - std::bit_cast<std::uintptr_t>(inside_.data()) < inside_.size();
        FREEHOLD_EXPECTS(
            the_pointer_is_in_the_object,
            "trace(visit) of an object that points directly visits a traced pointer outside of the object; "
            "remove the specialization of points_directly",
            object_);
    }

    // Effects: traces up to `most` objects of the stack, and what is pushed meanwhile. Returns: their number.
    std::size_t drain(growing_list<const std::byte*>& stack, std::size_t most) {
        std::array<const std::byte*, 8> fetched;  // a queue
        std::size_t head = 0;
        std::size_t tail = 0;
        while (true) {
            for (; tail != head + fetched.size() && tail != most && !stack.empty(); ++tail) {
                const std::byte* const object = fetched[tail % fetched.size()] = stack.pop();
                FREEHOLD_PREFETCH(object);
            }
            if (head == tail) return head;
            const std::byte* const object = fetched[head++ % fetched.size()];
            traced_chunk::block_of(object).type->trace(object, *this);
        }
    }

    // Requires: the address is in the first 4 MiB of its chunk.
    FREEHOLD_ALWAYS_INLINE void mark_near(const void* address) noexcept {
        traced_block& block = traced_chunk::block_of(address);
        const std::size_t index = block.index_of(address);
        if (!block.mark(index) || !block.is_pushed) return;
        if (stack_.is_full()) [[unlikely]]
            return push_slowly(block.cell(index));
        stack_.add(block.cell(index));
    }

    // An address that may be in a wide chunk is far, and in a cycle or in a team each one is. These cases are out of
    // line and tail calls, so that marking saves no registers.

    FREEHOLD_NOINLINE void mark_far(const void* address) noexcept {
        if (recorded_ != nullptr) {
            if (!recorded_->push(address)) overflowed_ = true;
            return;
        }
        if (helped_chunks_ != nullptr) return mark_beside(helped_chunks_->head_of(address));
        address = wide_->head_in_thread(address);
        if (team_ != nullptr) return mark_in_team(address);
        cycle_->is_running ? mark_in_cycle(address) : mark_near(address);
    }

    FREEHOLD_ALWAYS_INLINE void mark_in_team(const void* address) noexcept {
        const traced_block& block = traced_chunk::block_of(address);
        const std::size_t index = block.index_of(address);
        if (!block.mark_among_threads(index) || !block.is_pushed) return;
        if (stack_.is_full()) [[unlikely]]
            return push_slowly(block.cell(index));
        stack_.add(block.cell(index));
    }

    FREEHOLD_ALWAYS_INLINE void mark_in_cycle(const void* address) noexcept {
        traced_block& block = traced_chunk::block_of(address);
        const std::size_t index = block.index_of(address);
        if (block.is_reached(index)) return;
        if (block.is_marked(index)) {
            if (!passes_old_) cycle_->shade(block, index);
            return;
        }
        if (passes_young_) return;
        block.reach(index);
        mark_near(address);
    }

    // Effects: the same in the helper, which leaves young objects alone.
    FREEHOLD_ALWAYS_INLINE void mark_beside(const void* address) noexcept {
        traced_block& block = traced_chunk::block_of(address);
        cycle_->helped->reach(block, block.index_of(address));
    }

    void note_overflow() noexcept {
        (helped_chunks_ != nullptr ? cycle_->helped->overflowed : cycle_->overflowed) = true;
    }

    // Returns: what the pointer leads to.
    template <class Pointer>
    [[nodiscard]] static const void* target_of(const Pointer& pointer) noexcept {
        if constexpr (requires { pointer.target(); }) {
            return pointer.target();
        } else {
            return pointer.get();
        }
    }

    FREEHOLD_NOINLINE void push_slowly(const std::byte* object) noexcept {
        if (!stack_.push(object)) overflowed_ = true;
    }

    growing_list<const std::byte*> stack_;
    growing_list<partly_traced> left_;                              // arrays that a young collection has no time for
    std::size_t most_ = (std::numeric_limits<std::size_t>::max)();  // objects, of a young collection
    std::uintptr_t last_near_ = 0;  // wide_chunks::last_near() of the thread; in a cycle or a team 0: all is far
    const wide_chunks* wide_ = nullptr;
    marking_team* team_ = nullptr;
    bool overflowed_ = false;
    bool retracing_ = false;
    bool traces_gray_ = false;
    bool passes_young_ = false;  // in a cycle, it leaves young objects alone,
    bool passes_old_ = false;    // or white ones
    marking_cycle* cycle_ = nullptr;
    gray_objects* gray_ = nullptr;                    // those of which one is being traced
    const wide_chunk_list* helped_chunks_ = nullptr;  // if this is the marker of the helper
    external_memory* external_ = nullptr;
    growing_buffer<const void*>* recorded_ = nullptr;
    const container_watch* watch_ = nullptr;
    const char* object_ = "";            // the type that is being traced, for the watch,
    std::span<const std::byte> inside_;  // and the bytes that its pointers are in; empty if they may be elsewhere
};

}  // namespace freehold::detail
