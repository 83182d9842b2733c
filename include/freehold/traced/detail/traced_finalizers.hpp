#pragma once
// What is to be called when objects of a traced heap can no longer be reached.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "traced_roots.hpp"

namespace freehold::detail {

class traced_finalizers {
public:
    // Effects: run(object) will be called once. Throws: std::bad_alloc; then nothing has changed.
    void add(const void* object, std::function<void(const void*)> run) {
        const std::size_t most = due_.size() + waiting_.size() + 1;
        if (due_.capacity() < most) due_.reserve(2 * most);
        waiting_.push_back({object, std::move(run)});
    }

    // Effects: all is due that is not reached: of young objects, or of all.
    template <class IsReached>
    void take_due(bool all, IsReached is_reached) noexcept {
        const auto first = waiting_.begin() + static_cast<std::ptrdiff_t>(all ? 0 : first_young_);
        const auto due = std::partition(first, waiting_.end(),
                                        [is_reached](const finalizer& each) { return is_reached(each.object); });
        std::move(due, waiting_.end(), std::back_inserter(due_));
        waiting_.erase(due, waiting_.end());
        first_young_ = waiting_.size();
    }

    [[nodiscard]] std::size_t due() const noexcept { return due_.size(); }

    // Effects: calls use(object) for each object that is due, from the given one on.
    template <class Use>
    void each_due(std::size_t first, Use use) const {
        for (std::size_t i = first; i < due_.size(); ++i) use(due_[i].object);
    }

    // Effects: runs what is due, and what becomes due meanwhile; `roots` hold the object that it is done for.
    void run_due(local_root*& roots) noexcept {
        while (!due_.empty()) {
            const finalizer next = std::move(due_.back());
            due_.pop_back();
            local_root held{next.object, roots};
            roots = &held;
            next.run(next.object);
            roots = held.older;
        }
    }

private:
    struct finalizer {
        const void* object;
        std::function<void(const void*)> run;
    };

    std::vector<finalizer> waiting_;  // those of old objects first
    std::vector<finalizer> due_;      // room for all of them is reserved
    std::size_t first_young_ = 0;
};

}  // namespace freehold::detail
