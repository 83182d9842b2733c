// The owners in the pool of the process. Each leak has a twin that an owner outside of the pool holds.

#include <gtest/gtest.h>
#include <freehold/diagnosis/owners.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <freehold/core/annotate.hpp>
#include <freehold/core/memcheck.hpp>
#include <freehold/memory/small_block_pool.hpp>
#include <freehold/pointers/biased_shared_ptr.hpp>
#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/sharded_shared_ptr.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

using freehold::owners_report;

namespace {

struct node {
    long number = 0;
    freehold::shared_ptr<node> next;
};

struct tail {
    long number = 0;
};

struct head {
    freehold::shared_ptr<head> next;
    freehold::shared_ptr<tail> last;
};

struct with_weak {
    freehold::shared_ptr<with_weak> next;
    freehold::weak_ptr<with_weak> previous;
};

struct self_aware : freehold::enable_shared_from_this<self_aware> {
    freehold::shared_ptr<self_aware> next;
};

template <class Counting>
struct counted {
    freehold::shared_ptr<counted, Counting> next;
};

struct target {
    long number = 0;
};

struct user {
    long number = 0;
    freehold::shared_ptr<target> owned;
    freehold::weak_ptr<target> observed;
};

struct selfish {
    freehold::shared_ptr<selfish> self;
};

struct watcher {
    freehold::shared_ptr<watcher> next;
    freehold::weak_ptr<selfish> seen;
};

bool is_of(const std::string& type, const std::string& name) { return type.ends_with("::" + name); }

// Returns the row of the type, whose name is without namespaces; an empty row if there is none.
owners_report::type row(const owners_report& report, const std::string& name) {
    const auto found = std::ranges::find_if(report.types, [&](const auto& each) { return is_of(each.name, name); });
    return found != report.types.end() ? *found : owners_report::type();
}

std::size_t graded(const owners_report& report, const std::string& name, const char* grade) {
    const owners_report::type found = row(report, name);
    const auto number = found.grades.find(grade);
    return number != found.grades.end() ? number->second : 0;
}

std::size_t leaked(const owners_report& report, const std::string& name) { return graded(report, name, "leaked"); }
std::size_t held(const owners_report& report, const std::string& name) { return graded(report, name, "held"); }

// Two objects that own each other: nothing else does, until hold().
template <class Pointer>
class ring {
public:
    template <class Make>
    explicit ring(Make make) {
        Pointer first = make();
        first->next = make();
        first->next->next = first;
        object_ = first.get();
    }

    ring(const ring&) = delete;
    ring& operator=(const ring&) = delete;

    // Nothing leaks when the test ends.
    ~ring() { Pointer last = std::move(object_->next); }

    Pointer hold() { return object_->next; }
    auto& first() { return *object_; }

private:
    typename Pointer::element_type* object_;
};

struct vertex {
    ~vertex() {
        if (place != nullptr) *place = nullptr;
    }
    std::size_t number = 0;
    vertex** place = nullptr;  // where the address of the vertex is noted while it lives
    freehold::shared_ptr<vertex> out[2];
    freehold::weak_ptr<vertex> observed;
};

// Vertices that own each other at random, of which some have an owner outside of the pool. Who owns whom is noted
// apart.
class graph {
public:
    explicit graph(unsigned seed) : random_(seed), alive_(size) {
        std::vector<freehold::shared_ptr<vertex>> all;
        for (std::size_t i = 0; i < size; ++i) {
            all.push_back(freehold::make_shared<vertex>());
            alive_[i] = all.back().get();
            all.back()->number = i;
            all.back()->place = &alive_[i];
        }
        for (std::size_t i = 0; i < 2 * size; ++i) {  // some are replaced by others
            const std::size_t from = random_() % size, to = random_() % size, place = random_() % 2;
            all[from]->out[place] = random_() % 3 != 0 ? all[to] : nullptr;
            all[from]->observed = all[random_() % size];
        }
        for (const auto& each : all) {
            for (std::size_t place = 0; place < 2; ++place) {
                const vertex* const to = each->out[place].get();
                out_[each->number][place] = to != nullptr ? to->number : nobody;
            }
        }
        for (std::size_t i = 0; i < size / 20; ++i) roots_.push_back(all[random_() % size]);
    }

    graph(const graph&) = delete;
    graph& operator=(const graph&) = delete;

    // Nothing leaks when the test ends.
    ~graph() {
        std::vector<freehold::shared_ptr<vertex>> cut;
        for (vertex* const each : alive_) {
            if (each == nullptr) continue;
            for (auto& out : each->out) cut.push_back(std::move(out));
        }
    }

    [[nodiscard]] std::size_t alive() const {
        return size - static_cast<std::size_t>(std::ranges::count(alive_, nullptr));
    }

    // Returns: how many vertices the owners outside of the pool hold.
    [[nodiscard]] std::size_t held() const {
        std::vector<bool> seen(size);
        std::vector<std::size_t> waiting;
        for (const auto& each : roots_) waiting.push_back(each->number);
        while (!waiting.empty()) {
            const std::size_t each = waiting.back();
            waiting.pop_back();
            if (each == nobody || seen[each]) continue;
            seen[each] = true;
            waiting.insert(waiting.end(), std::begin(out_[each]), std::end(out_[each]));
        }
        return static_cast<std::size_t>(std::ranges::count(seen, true));
    }

private:
    static constexpr std::size_t size = 400;
    static constexpr std::size_t nobody = size;

    std::minstd_rand random_;
    std::size_t out_[size][2];
    std::vector<vertex*> alive_;                       // or null
    std::vector<freehold::shared_ptr<vertex>> roots_;  // destroyed before what their objects write to
};

class owners_of_pool : public testing::Test {
protected:
    void SetUp() override {
#ifdef FREEHOLD_ADDRESS_SANITIZER
        GTEST_SKIP() << "the pool has no shared objects under AddressSanitizer";
#endif
        if (freehold::detail::is_memcheck()) GTEST_SKIP() << "the pool is not walked under memcheck";
    }

    template <class Pointer, class Make>
    static void check_ring(const std::string& name, Make make) {
        ring<Pointer> made(make);
        EXPECT_EQ(leaked(freehold::find_owners(), name), 2U);
        const Pointer holds = made.hold();
        const owners_report now = freehold::find_owners();
        EXPECT_EQ(leaked(now, name), 0U);
        EXPECT_EQ(held(now, name), 2U);
    }
};

freehold::shared_ptr<node> make_node() { return freehold::make_shared<node>(); }

}  // namespace

TEST_F(owners_of_pool, are_counted_by_type) {
    const auto first = make_node();
    const auto second = make_node();
    const auto copy = first;
    const freehold::weak_ptr<node> weak = first;
    const owners_report::type found = row(freehold::find_owners(), "node");
    EXPECT_EQ(found.objects, 2U);
    EXPECT_EQ(found.owners, 3U);
    EXPECT_EQ(found.weak, 1U);
    EXPECT_GE(found.bytes, 2 * sizeof(node));
}

TEST_F(owners_of_pool, hold_an_object_from_elsewhere) {
    std::vector<freehold::shared_ptr<node>> elsewhere{make_node()};
    elsewhere.front()->next = make_node();
    EXPECT_EQ(held(freehold::find_owners(), "node"), 2U);
}

TEST_F(owners_of_pool, leak_if_they_own_each_other) { check_ring<freehold::shared_ptr<node>>("node", make_node); }

TEST_F(owners_of_pool, leak_beside_their_blocks) {
    check_ring<freehold::shared_ptr<node>>("node", [] { return freehold::shared_ptr<node>(new node); });
}

TEST_F(owners_of_pool, leak_if_the_maker_counts_apart) {
    using counted = counted<freehold::biased_counting>;
    check_ring<freehold::biased_shared_ptr<counted>>("counted<freehold::biased_counting>",
                                                     [] { return freehold::make_biased_shared<counted>(); });
}

TEST_F(owners_of_pool, leak_if_shards_count) {
    using counted = counted<freehold::sharded_counting>;
    check_ring<freehold::sharded_shared_ptr<counted>>("counted<freehold::sharded_counting>",
                                                      [] { return freehold::make_sharded_shared<counted>(); });
}

TEST_F(owners_of_pool, leak_if_one_thread_counts) {
    using counted = counted<freehold::plain_counting>;
    check_ring<freehold::local_shared_ptr<counted>>("counted<freehold::plain_counting>",
                                                    [] { return freehold::make_local_shared<counted>(); });
}

TEST_F(owners_of_pool, leak_beside_weak_pointers_to_each_other) {
    ring<freehold::shared_ptr<with_weak>> made([] { return freehold::make_shared<with_weak>(); });
    made.first().previous = made.first().next;
    made.first().next->previous = made.first().next->next;
    EXPECT_EQ(leaked(freehold::find_owners(), "with_weak"), 2U);
    const auto holds = made.hold();
    EXPECT_EQ(held(freehold::find_owners(), "with_weak"), 2U);
}

TEST_F(owners_of_pool, leak_though_they_know_themselves) {
    check_ring<freehold::shared_ptr<self_aware>>("self_aware", [] { return freehold::make_shared<self_aware>(); });
}

TEST_F(owners_of_pool, leak_from_an_array_into_itself) {
    auto array = freehold::make_shared<node[]>(3);
    node& last = array[2];
    last.next = freehold::shared_ptr<node>(array, &array[0]);
    EXPECT_EQ(leaked(freehold::find_owners(), "node"), 0U);
    array.reset();
    EXPECT_EQ(leaked(freehold::find_owners(), "node"), 1U);
    last.next.reset();
}

TEST_F(owners_of_pool, leak_by_what_a_deleter_has) {
    auto owned = make_node();
    node* const object = new node;
    object->next = owned;
    owned->next = freehold::shared_ptr<node>(object, [owned](node* deleted) { delete deleted; });
    node* const first = owned.get();
    EXPECT_EQ(leaked(freehold::find_owners(), "node"), 0U);
    owned.reset();
    // Of the object with a deleter the owner within is not found: its size is not known.
    EXPECT_EQ(leaked(freehold::find_owners(), "node"), 0U);
    object->next.reset();
    EXPECT_EQ(leaked(freehold::find_owners(), "node"), 2U);
    first->next.reset();
}

TEST_F(owners_of_pool, of_a_held_object_hold_all_behind_it) {
    ring<freehold::shared_ptr<node>> made(make_node);
    auto holds = make_node();
    holds->next = made.hold();
    EXPECT_EQ(held(freehold::find_owners(), "node"), 3U);
    holds.reset();
    EXPECT_EQ(leaked(freehold::find_owners(), "node"), 2U);
}

TEST_F(owners_of_pool, leak_with_a_cycle_and_what_is_behind_it) {
    ring<freehold::shared_ptr<head>> made([] { return freehold::make_shared<head>(); });
    made.first().last = freehold::make_shared<tail>();
    const owners_report report = freehold::find_owners();
    ASSERT_EQ(report.leaks.size(), 1U);
    const owners_report::leak& leak = report.leaks.front();
    EXPECT_EQ(leak.count, 1U);
    ASSERT_EQ(leak.cycle.size(), 2U);
    EXPECT_TRUE(is_of(leak.cycle[0].type, "head"));
    EXPECT_EQ(leak.cycle[0].place, "+0");
    ASSERT_EQ(leak.types.size(), 1U);
    EXPECT_EQ(leak.types.begin()->second, 2U);
    ASSERT_EQ(leak.behind.size(), 1U);
    EXPECT_TRUE(is_of(leak.behind.begin()->first, "tail"));
}

TEST_F(owners_of_pool, leak_as_one_if_they_are_alike) {
    const ring<freehold::shared_ptr<node>> first(make_node);
    const ring<freehold::shared_ptr<node>> second(make_node);
    const owners_report report = freehold::find_owners();
    ASSERT_EQ(report.leaks.size(), 1U);
    EXPECT_EQ(report.leaks.front().count, 2U);
    EXPECT_EQ(report.leaks.front().types.begin()->second, 4U);
}

TEST_F(owners_of_pool, leave_memory_to_expired_weak_pointers) {
    auto expired = make_node();
    expired->next = make_node();
    const freehold::weak_ptr<node> weak = expired;
    expired.reset();
    const owners_report report = freehold::find_owners();
    EXPECT_EQ(graded(report, "node", "expired"), 1U);
    EXPECT_GE(row(report, "node").expired_bytes, sizeof(node));
    EXPECT_EQ(row(report, "node").objects, 1U);
}

// If the handle of the first were taken for that of enable_shared_from_this, what observes it would own, and so would
// what observes the second.
TEST_F(owners_of_pool, outside_hold_an_object_though_another_of_its_type_owns_itself) {
    auto owns_itself = freehold::make_shared<selfish>();
    owns_itself->self = owns_itself;
    const auto watches = freehold::make_shared<watcher>();
    watches->seen = owns_itself;
    owns_itself.reset();

    const auto held_here = freehold::make_shared<selfish>();
    const freehold::weak_ptr<selfish> seen_here = held_here;
    ring<freehold::shared_ptr<watcher>> garbage([] { return freehold::make_shared<watcher>(); });
    garbage.first().seen = held_here;
    EXPECT_EQ(leaked(freehold::find_owners(), "watcher"), 2U);
    EXPECT_EQ(leaked(freehold::find_owners(), "selfish"), 0U);
    watches->seen.lock()->self.reset();
}

TEST_F(owners_of_pool, of_an_object_are_found_with_their_places) {
    const auto owned = freehold::make_shared<target>();
    const auto first = freehold::make_shared<user>();
    first->owned = owned;
    const auto alone = freehold::make_shared<target>();
    const auto second = freehold::make_shared<user>();
    second->owned = alone;
    second->observed = owned;
    const auto found = freehold::find_owners_of(&owned->number);
    ASSERT_EQ(found.size(), 2U);
    const auto by_address = [&](const void* place) {
        return std::ranges::find(found, place, &owners_report::owner::address);
    };
    ASSERT_NE(by_address(&first->owned), found.end());
    ASSERT_NE(by_address(&second->observed), found.end());
    EXPECT_EQ(by_address(&first->owned)->kind, "owner");
    EXPECT_TRUE(is_of(by_address(&first->owned)->where, "user +8"));
}

TEST_F(owners_of_pool, are_found_in_what_other_threads_have_made) {
    freehold::shared_ptr<node> made;
    std::thread([&] { made = make_node(); }).join();
    EXPECT_EQ(held(freehold::find_owners(), "node"), 1U);
}

TEST_F(owners_of_pool, are_found_without_memory_of_the_pool) {
    const auto made = make_node();
    const auto before = freehold::small_block_pool::quiet_statistics();
    const freehold::detail::pool_owners pool;
    EXPECT_EQ(freehold::small_block_pool::quiet_statistics().live, before.live);
    EXPECT_GE(pool.objects().size(), 1U);
}

TEST_F(owners_of_pool, are_written_as_the_command_has_them) {
    const ring<freehold::shared_ptr<node>> made(make_node);
    std::FILE* const file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    EXPECT_TRUE(freehold::write_json(freehold::find_owners(), file));
    std::rewind(file);
    std::string text(4096, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    EXPECT_TRUE(text.starts_with("{\"format\": \"freehold owners\", \"version\": 1,")) << text;
    EXPECT_NE(text.find("\"grades\": {\"leaked\": 2}"), std::string::npos) << text;
    EXPECT_NE(text.find("\"place\": \"+8\""), std::string::npos) << text;
}

TEST_F(owners_of_pool, leak_in_random_graphs_where_no_root_leads_to_them) {
    std::size_t leaks = 0;
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const graph made(seed);
        const owners_report found = freehold::find_owners();
        EXPECT_EQ(held(found, "vertex"), made.held()) << "seed " << seed;
        EXPECT_EQ(leaked(found, "vertex"), made.alive() - made.held()) << "seed " << seed;
        leaks += leaked(found, "vertex");
    }
    EXPECT_GT(leaks, 0U);
}
