// Random operations on maps in a traced heap, and the same on those of the standard.

#include <cstddef>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "families.hpp"
#include "support/effort.hpp"
#include "support/traced_options.hpp"

namespace contracts {

namespace {

// Keys that are longer than a string keeps in itself, or not.
std::string name_of(int number) { return (number % 2 == 0 ? std::string(40, 'x') : "") + std::to_string(number); }

template <class Family>
class random_operations {
    using by_name = typename traced_map_in_heap<Family>::by_name;

    struct holder {
        by_name one = {};
        by_name other = {};
    };
    using model = typename Family::template standard<std::string, int>;

public:
    random_operations(unsigned seed, const freehold::traced_heap_options& options)
        : random_(seed), heap_(options), is_exact_(!options.conservative_stack) {}

    void run(int steps) {
        for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
            const int operation = any(20);
            SCOPED_TRACE("step " + std::to_string(i) + " operation " + std::to_string(operation));
            run_one(operation);
            expect_equal(all_->one, one_);
            expect_equal(all_->other, other_);
        }
        expect_that_the_rest_is_dead();
    }

private:
    int any(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

    freehold::traced_local<symbol> next() { return heap_.make<symbol>(++last_); }

    void run_one(int operation) {
        by_name& one = all_->one;
        const std::string key = name_of(any(100));
        switch (operation) {
            case 0:
            case 1:
            case 2:
            case 3:
                one[key] = next();
                one_[key] = last_;
                return;
            case 4: {
                const auto added = one.try_emplace(key, next());
                EXPECT_EQ(added.second, one_.try_emplace(key, last_).second);
                EXPECT_EQ((*added.first).first, key);
                return;
            }
            case 5: {
                const auto added = one.emplace(key, next());
                EXPECT_EQ(added.second, one_.emplace(key, last_).second);
                EXPECT_EQ(added.first->first, key);
                return;
            }
            case 6:
                one.insert_or_assign(key, next());
                one_.insert_or_assign(key, last_);
                return;
            case 7:
                one.insert(std::pair<std::string, symbol_ptr>(key, next()));
                one_.insert({key, last_});
                return;
            case 8:
            case 9:
            case 10: EXPECT_EQ(one.erase(key), one_.erase(key)); return;
            case 11: return erase_at(one, any(static_cast<int>(one_.size()) + 1));
            case 12:
                one = all_->other;
                one_ = other_;
                return;
            case 13:
                one = std::move(all_->other);
                one_ = std::exchange(other_, {});
                return;
            case 14:
            case 15:
                swap(one, all_->other);
                one_.swap(other_);
                return;
            case 16:
                one.insert(all_->other.begin(), all_->other.end());
                one_.insert(other_.begin(), other_.end());
                return;
            case 17: one = static_cast<const by_name&>(one); return;
            case 18:
                if (any(5) != 0) return one.reserve(static_cast<std::size_t>(any(300)));
                one.clear();
                return one_.clear();
            default: return heap_.collect_young();
        }
    }

    void erase_at(by_name& one, int place) {
        if (place == static_cast<int>(one_.size())) return;
        const auto found = one.begin() + place;
        one_.erase((*found).first);
        const auto after = one.erase(found);
        EXPECT_EQ(after - one.begin(), place);
    }

    static void expect_equal(const by_name& map, const model& expected) {
        ASSERT_EQ(map.size(), expected.size());
        ASSERT_EQ(map.empty(), expected.empty());
        for (const auto& [key, value] : expected) {
            ASSERT_TRUE(map.contains(key)) << key;
            ASSERT_EQ(map.at(key)->number, value);
            ASSERT_EQ(map.find(key)->second->number, value);
        }
        std::set<std::string> keys;
        for (const auto [key, value] : map) keys.insert(key);
        ASSERT_EQ(keys.size(), expected.size());
        ASSERT_FALSE(map.contains("none"));
        ASSERT_EQ(map.find("none"), map.end());
        if constexpr (requires { map.lower_bound("a"); }) {
            auto each = expected.begin();
            for (const auto [key, value] : map) ASSERT_EQ(key, each++->first);
            for (const char* const key : {"", "1", "30", "x", "y"}) {
                ASSERT_EQ(map.lower_bound(key) - map.begin(),
                          std::distance(expected.begin(), expected.lower_bound(key)));
                ASSERT_EQ(map.upper_bound(key) - map.begin(),
                          std::distance(expected.begin(), expected.upper_bound(key)));
            }
        }
    }

    void expect_that_the_rest_is_dead() {
        std::set<int> all;
        for (const auto& [key, value] : one_) all.insert(value);
        for (const auto& [key, value] : other_) all.insert(value);
        heap_.collect();
        if (is_exact_) {
            EXPECT_EQ(support::tracked::alive(), static_cast<int>(all.size()));
        } else {
            EXPECT_GE(support::tracked::alive(), static_cast<int>(all.size()));
        }
    }

    std::mt19937 random_;
    freehold::traced_heap heap_;
    bool is_exact_;  // nothing but what is reachable survives
    const freehold::traced_local<holder> all_ = heap_.make<holder>();
    model one_;
    model other_;
    int last_ = 0;
};

}  // namespace

CONTRACT(traced_map_in_heap, random_operations_do_what_those_of_the_standard_do) {
    const unsigned programs = support::programs(10, 2);
    for (const freehold::traced_heap_options& options : support::traced_options()) {
        for (unsigned seed = 0; seed < programs && !TestFixture::HasFailure(); ++seed) {
            SCOPED_TRACE("seed " + std::to_string(seed));
            random_operations<TypeParam>(seed, options).run(400);
        }
    }
}

}  // namespace contracts
