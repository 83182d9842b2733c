#pragma once
// Lists whose cells own their tails, in each of the five styles.

#include "article.hpp"
#include "borrowed.hpp"
#include "direct.hpp"
#include "modern.hpp"
#include "plot.hpp"
#include "pointer_strategy.hpp"

namespace lab::queens {

// Lists share their tails, so their owners know which of them is the last.
template <class Strategy>
    requires(Strategy::shares && copies<Strategy, cell>)
using of =
    played<by_value<Strategy>, by_const_reference<Strategy>, modern<Strategy>, borrowed<Strategy>, direct<Strategy>>;

}  // namespace lab::queens
