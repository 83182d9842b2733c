#pragma once
// heap_view: what a trial deletion asks of the heap that it searches. thread_view is that of the objects of one thread,
// stopped_heap that of a heap that threads share.

#include "../../core/growing_buffer.hpp"
#include "cyclic_header.hpp"
#include "cyclic_thread.hpp"

namespace freehold::inline v0_2::detail {

class heap_view {
public:
    heap_view(const heap_view&) = delete;
    heap_view& operator=(const heap_view&) = delete;

    // Effects: calls look(header) for every object, until it returns false. Returns: whether it always returned true.
    template <class Look>
    bool look_at_each(Look look) noexcept {
        return pass_each([](void* each, cyclic_header& header) { return (*static_cast<Look*>(each))(header); }, &look);
    }

    // Returns: the next block in which a search looks for postponed objects; null if there is none.
    [[nodiscard]] virtual cyclic_block* next_to_gather() noexcept = 0;

    // Effects: completes the counts in the headers, after each finalize() was called.
    virtual void complete_counts() noexcept = 0;

    // Effects: destroys and frees the objects, now or later. Requires: as cyclic_thread::destroy.
    virtual void dispose(growing_buffer<cyclic_header*>& garbage) noexcept = 0;

    cyclic_thread& state;  // of the collections

protected:
    explicit heap_view(cyclic_thread& state_of_heap) noexcept : state(state_of_heap) {}
    ~heap_view() = default;

    virtual bool pass_each(bool (*look)(void*, cyclic_header&), void* context) noexcept = 0;
};

class thread_view final : public heap_view {
public:
    explicit thread_view(cyclic_thread& thread) noexcept : heap_view(thread) {}

    [[nodiscard]] cyclic_block* next_to_gather() noexcept override { return state.next_to_gather(); }
    void complete_counts() noexcept override {}
    void dispose(growing_buffer<cyclic_header*>& garbage) noexcept override { state.destroy(garbage); }

private:
    bool pass_each(bool (*look)(void*, cyclic_header&), void* context) noexcept override {
        bool all = true;
        state.each_object([&](cyclic_header& header) { all = all && look(context, header); });
        return all;
    }
};

}  // namespace freehold::detail
