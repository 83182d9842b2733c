// Random operations on sequences in a traced heap, and the same on those of the standard.

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <utility>

#include "families.hpp"
#include "support/effort.hpp"
#include "support/traced_options.hpp"

namespace contracts {

namespace {

template <class Family>
class random_operations {
    using suite = traced_sequence<Family>;
    using sequence = typename Family::sequence;
    using element = typename Family::element;

public:
    random_operations(unsigned seed, const freehold::traced_heap_options& options)
        : random_(seed), heap_(options), is_exact_(!options.conservative_stack) {}

    void run(int steps) {
        for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
            const int operation = any(32);
            SCOPED_TRACE("step " + std::to_string(i) + " operation " + std::to_string(operation));
            run_one(operation);
            expect_equal();
            if (one_.size() > 200) {
                all_->one.clear();
                one_.clear();
            }
        }
        expect_that_the_rest_is_dead();
    }

private:
    int any(std::size_t count) { return static_cast<int>(random_() % count); }
    std::ptrdiff_t position(bool with_end = true) { return any(one_.size() + (with_end ? 1 : 0)); }

    element& next() { return suite::set(heap_, *all_, ++last_); }

    void run_one(int operation) {
        sequence& one = all_->one;
        sequence& other = all_->other;
        const auto count = static_cast<std::size_t>(any(5));
        switch (operation) {
            case 0:
            case 1:
            case 2: one.push_back(next()); return one_.push_back(last_);
            case 3:
                next();
                one.push_back(std::move(all_->added));
                all_->added = element();
                return one_.push_back(last_);
            case 4: static_cast<void>(one.emplace_back()); return one_.push_back(0);
            case 5: return add_in_front();
            case 6: return assign_several(count);
            case 7: one.resize(count * 7); return one_.resize(count * 7);
            case 8: one.resize(count * 7, next()); return one_.resize(count * 7, last_);
            case 9:
                one = other;
                one_ = other_;
                return;
            case 10:
                one = std::move(other);
                one_ = std::exchange(other_, {});
                EXPECT_TRUE(other.empty());
                return;
            case 11: swap(one, other); return one_.swap(other_);
            case 12: one = static_cast<const sequence&>(one); return;
            case 13: return reserve(count * 50);
            case 14: return one.shrink_to_fit();
            case 15:
                one.insert(one.begin(), other.begin(), other.end());
                one_.insert(one_.begin(), other_.begin(), other_.end());
                return;
            default: return one_.empty() ? run_one(0) : change(operation, count);
        }
    }

    // Requires: there are elements.
    void change(int operation, std::size_t count) {
        sequence& one = all_->one;
        const std::ptrdiff_t at = position();
        const std::ptrdiff_t from = position(false);
        const auto i = static_cast<std::size_t>(from);
        switch (operation) {
            case 16: one.pop_back(); return one_.pop_back();
            case 17: return remove_in_front();
            case 18: one.push_back(one[i]); return one_.push_back(one_[i]);
            case 19:
                one.insert(one.begin() + at, one[i]);
                one_.insert(one_.begin() + at, int(one_[i]));
                return;
            case 20:
                one.insert(one.begin() + at, count, one[i]);
                one_.insert(one_.begin() + at, count, int(one_[i]));
                return;
            case 21: one.resize(count * 7, one[i]); return one_.resize(count * 7, int(one_[i]));
            case 22: one.assign(count * 7, one[i]); return one_.assign(count * 7, int(one_[i]));
            case 23:
                one.insert(one.begin() + at, next());
                one_.insert(one_.begin() + at, last_);
                return;
            case 24: {
                const auto inserted = one.emplace(one.begin() + at);
                EXPECT_EQ(inserted - one.begin(), at);
                one_.insert(one_.begin() + at, 0);
                return;
            }
            case 25:
            case 26: {
                const auto after = one.erase(one.begin() + from);
                EXPECT_EQ(after - one.begin(), from);
                one_.erase(one_.begin() + from);
                return;
            }
            case 27: {
                const std::ptrdiff_t first = std::min(at, from);
                one.erase(one.begin() + first, one.begin() + std::max(at, from));
                one_.erase(one_.begin() + first, one_.begin() + std::max(at, from));
                return;
            }
            case 28:
                one[i] = next();
                one_[i] = last_;
                return;
            case 29:
                one[i] = one.back();
                one_[i] = one_.back();
                return;
            case 30: one.clear(); return one_.clear();
            default: return heap_.collect_young();
        }
    }

    void add_in_front() {
        if constexpr (requires(sequence& one) { one.push_front(one[0]); }) {
            if (any(2) == 0 && !one_.empty()) {
                all_->one.push_front(all_->one.back());
                one_.insert(one_.begin(), int(one_.back()));
            } else {
                all_->one.push_front(next());
                one_.insert(one_.begin(), last_);
            }
        }
    }

    void remove_in_front() {
        if constexpr (requires(sequence& one) { one.pop_front(); }) {
            all_->one.pop_front();
            one_.erase(one_.begin());
        }
    }

    void assign_several(std::size_t count) {
        all_->one.assign(count, next());
        one_.assign(count, last_);
        all_->one.insert(all_->one.end(), count, next());
        one_.insert(one_.end(), count, last_);
    }

    void reserve(std::size_t capacity) {
        if constexpr (requires { all_->one.reserve(capacity); }) {
            all_->one.reserve(capacity);
            EXPECT_GE(all_->one.capacity(), capacity);
        }
    }

    void expect_equal() {
        ASSERT_EQ(suite::of(all_->one), one_);
        ASSERT_EQ(suite::of(all_->other), other_);
        ASSERT_EQ(all_->one.empty(), one_.empty());
        if (one_.empty()) return;
        ASSERT_EQ(Family::number(all_->one.front()), one_.front());
        ASSERT_EQ(Family::number(all_->one.back()), one_.back());
        ASSERT_EQ(Family::number(*all_->one.rbegin()), one_.back());
    }

    void expect_that_the_rest_is_dead() {
        numbers all = one_;
        all.insert(all.end(), other_.begin(), other_.end());
        all.push_back(Family::number(all_->added));
        heap_.collect();
        if (is_exact_) {
            EXPECT_EQ(support::tracked::alive(), Family::alive(all));
        } else {
            EXPECT_GE(support::tracked::alive(), Family::alive(all));
        }
    }

    std::mt19937 random_;
    freehold::traced_heap heap_;
    bool is_exact_;  // nothing but what is reachable survives
    const freehold::traced_local<typename suite::holder> all_ = heap_.make<typename suite::holder>();
    numbers one_;
    numbers other_;
    int last_ = 0;
};

}  // namespace

CONTRACT(traced_sequence, random_operations_do_what_those_of_the_standard_do) {
    const unsigned programs = support::programs(10, 2);
    for (const freehold::traced_heap_options& options : support::traced_options()) {
        for (unsigned seed = 0; seed < programs && !TestFixture::HasFailure(); ++seed) {
            SCOPED_TRACE("seed " + std::to_string(seed));
            random_operations<TypeParam>(seed, options).run(300);
        }
    }
}

}  // namespace contracts
