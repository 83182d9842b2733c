// The cells of objects that died come back: their blocks serve other types, and go back to the page cache.

#include <gtest/gtest.h>
#include <freehold/cyclic/cyclic_heap.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include <freehold/cyclic/cycle_collector.hpp>
#include <freehold/cyclic/cyclic_ptr.hpp>

using freehold::concurrent_cyclic_ptr;
using freehold::cycle_collector;
using freehold::cyclic_heap;
using freehold::cyclic_ptr;
using freehold::make_cyclic;

namespace {

template <std::size_t Words>
struct item {
    void trace(auto& /*visit*/) const {}

    [[nodiscard]] bool is_intact() const {
        return std::all_of(std::begin(words), std::end(words), [this](std::size_t each) { return each == words[0]; });
    }

    explicit item(std::size_t value) {
        for (std::size_t& each : words) each = value;
    }

    std::size_t words[Words];
};

[[nodiscard]] std::size_t blocks_of_this_thread() { return freehold::detail::this_cyclic_thread.blocks; }

// Effects: makes objects of 4 MiB together, in many blocks, and destroys them in disorder. Returns: the most blocks.
template <std::size_t Words, class Make>
std::size_t come_and_go(Make make, std::mt19937& random) {
    std::vector<decltype(make(std::size_t{}))> owners;
    std::size_t most = 0;
    while (owners.size() * Words * sizeof(std::size_t) < std::size_t{4} << 20) {
        owners.push_back(make(owners.size()));
        most = std::max(most, blocks_of_this_thread());
    }
    std::shuffle(owners.begin(), owners.end(), random);
    while (!owners.empty()) {
        EXPECT_TRUE(owners.back()->is_intact());
        owners.pop_back();
    }
    return most;
}

template <std::size_t Words>
cyclic_ptr<item<Words>> make_item(std::size_t value) {
    return make_cyclic<item<Words>>(value);
}

// Trims while its own cell has no header yet.
struct trims_in_constructor {
    trims_in_constructor() { cycle_collector::trim(); }
    void trace(auto& /*visit*/) const {}

    std::size_t value = 7;
};

struct trims_through_others {
    trims_through_others() {
        // Enough of them that free cells are looked for.
        for (std::size_t round = 0; round < 3; ++round) {
            std::vector<cyclic_ptr<item<100>>> owners;
            for (std::size_t i = 0; i < 3000; ++i) owners.push_back(make_item<100>(i));
        }
    }
    void trace(auto& /*visit*/) const {}

    std::size_t value = 7;
};

// A chain whose destructors nest too deeply, so that the rest of it waits. Each part has a leaf, which is destroyed
// after that, trims, and makes others.
struct chain_part {
    explicit chain_part(bool trims) noexcept : is_leaf(trims) {}
    chain_part(const chain_part&) = delete;
    chain_part& operator=(const chain_part&) = delete;
    ~chain_part() {
        EXPECT_EQ(value, 7U);
        value = 0;
        ++destroyed;
        if (!is_leaf) return;
        cycle_collector::trim();
        const auto first = make_cyclic<chain_part>(false);
        const auto second = make_cyclic<chain_part>(false);
    }

    void trace(auto& visit) const {
        visit(leaf);
        visit(next);
    }

    std::size_t value = 7;
    bool is_leaf;
    cyclic_ptr<chain_part> leaf;
    cyclic_ptr<chain_part> next;  // destroyed before the leaf
    static inline std::size_t destroyed = 0;
};

class cyclic_cells_test : public testing::Test {
protected:
    void SetUp() override { cycle_collector::trim(); }

    void TearDown() override {
        cycle_collector::trim();
        EXPECT_EQ(cycle_collector::objects(), 0U);
        EXPECT_EQ(blocks_of_this_thread(), 0U);
        EXPECT_EQ(freehold::detail::this_cyclic_thread.cells, 0U);
    }

    std::mt19937 random{7};
};

}  // namespace

TEST_F(cyclic_cells_test, one_type_after_another_takes_the_blocks_of_one) {
    const std::size_t most = come_and_go<4>(make_item<4>, random);
    EXPECT_GT(most, 64U);
    EXPECT_LE(come_and_go<8>(make_item<8>, random), most * 13 / 10);
    EXPECT_LE(come_and_go<100>(make_item<100>, random), most * 13 / 10);
    EXPECT_LE(come_and_go<20>(make_item<20>, random), most * 13 / 10);
}

TEST_F(cyclic_cells_test, blocks_with_an_object_stay) {
    std::vector<cyclic_ptr<item<4>>> owners;
    for (std::size_t i = 0; i < 100'000; ++i) owners.push_back(make_item<4>(i));
    std::vector<cyclic_ptr<item<4>>> kept;
    for (std::size_t i = 0; i < owners.size(); i += 1000) kept.push_back(owners[i]);
    owners.clear();
    come_and_go<100>(make_item<100>, random);
    cycle_collector::trim();
    for (std::size_t i = 0; i < kept.size(); ++i) {
        EXPECT_TRUE(kept[i]->is_intact());
        EXPECT_EQ(kept[i]->words[0], 1000 * i);
    }
    // The free cells beside them are used again.
    const std::size_t before = blocks_of_this_thread();
    for (std::size_t i = 0; i < 50'000; ++i) owners.push_back(make_item<4>(i));
    EXPECT_EQ(blocks_of_this_thread(), before);
    EXPECT_TRUE(std::all_of(owners.begin(), owners.end(), [](const auto& each) { return each->is_intact(); }));
}

TEST_F(cyclic_cells_test, growth_alone_looks_for_no_free_cells) {
    std::vector<cyclic_ptr<item<4>>> owners;
    for (std::size_t i = 0; i < 100'000; ++i) owners.push_back(make_item<4>(i));
    EXPECT_FALSE(freehold::detail::this_cyclic_thread.has_free(1000));
    owners.resize(90'000);
    EXPECT_TRUE(freehold::detail::this_cyclic_thread.has_free(10'000));
    EXPECT_FALSE(freehold::detail::this_cyclic_thread.has_free(10'500));
}

TEST_F(cyclic_cells_test, a_constructor_may_trim) {
    EXPECT_EQ(make_cyclic<trims_in_constructor>()->value, 7U);
    EXPECT_EQ(make_cyclic<trims_through_others>()->value, 7U);
}

TEST_F(cyclic_cells_test, a_destructor_may_trim_while_others_wait) {
    constexpr std::size_t length = 500;
    cyclic_ptr<chain_part> chain;
    for (std::size_t i = 0; i < length; ++i) {
        auto added = make_cyclic<chain_part>(false);
        added->leaf = make_cyclic<chain_part>(true);
        added->next = std::move(chain);
        chain = std::move(added);
    }
    chain_part::destroyed = 0;
    chain.reset();
    EXPECT_EQ(chain_part::destroyed, 4 * length);
}

TEST_F(cyclic_cells_test, the_blocks_of_a_session_serve_its_other_types) {
    using session_state = freehold::detail::cyclic_session<freehold::detail::process_threading>;
    cyclic_heap heap;
    const cyclic_heap::session session(heap);
    const auto fill_and_empty = [&heap, this]<std::size_t Words>() {
        std::vector<concurrent_cyclic_ptr<item<Words>>> owners;
        while (owners.size() * Words * sizeof(std::size_t) < std::size_t{4} << 20) {
            owners.push_back(heap.make<item<Words>>(owners.size()));
        }
        const std::size_t blocks = session_state::this_cyclic_session->blocks;
        std::shuffle(owners.begin(), owners.end(), random);
        EXPECT_TRUE(std::all_of(owners.begin(), owners.end(), [](const auto& each) { return each->is_intact(); }));
        return blocks;
    };
    const std::size_t first = fill_and_empty.operator()<4>();
    EXPECT_GT(first, 64U);
    EXPECT_LE(fill_and_empty.operator()<8>(), first * 13 / 10);
    EXPECT_LE(fill_and_empty.operator()<100>(), first * 13 / 10);
    heap.trim();
    EXPECT_EQ(session_state::this_cyclic_session->blocks, 0U);
}
