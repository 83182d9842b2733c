// A probe in C++: the workloads that its strategy can do, in the form of its family. Those that only a whole run
// measures are in only_whole.cpp.

#include <algorithm>
#include <concepts>
#include <iterator>
#include <string>

#include "compiler.hpp"
#include "harness/harness.hpp"
#include "only_whole.hpp"
#include "pointer_strategy.hpp"
#include "workloads/pointers/data_size.hpp"
#include FREEHOLD_WORKLOADS_HEADER
#include FREEHOLD_STRATEGY_HEADER

// Returns null for a strategy without handles.
template <class Strategy>
constexpr auto data_size_of() -> lab::data_size (*)() {
    if constexpr (std::derived_from<Strategy, lab::owning>) {
        return lab::sizes::measure<Strategy>;
    } else {
        return nullptr;
    }
}

int main(int argument_count, char** arguments) {
    using lab::strategy;
    auto found = lab::workloads<strategy>();
    std::ranges::copy(lab::only_whole(), std::back_inserter(found));
    const std::string library(strategy::library);
    const lab::probe probe{lab::compiler, FREEHOLD_STRATEGY_NAME, library.c_str(), found, data_size_of<strategy>()};
    return lab::run(probe, argument_count, arguments);
}
