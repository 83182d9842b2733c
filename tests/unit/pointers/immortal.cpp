#include <gtest/gtest.h>
#include <freehold/pointers/immortal.hpp>

#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include <freehold/core/platform/pages.hpp>
#include <freehold/pointers/biased_shared_ptr.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>
#include <freehold/pointers/pointer_cast.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include "support/read_only.hpp"
#include "support/tallied_counting.hpp"
#include "support/thread_state.hpp"

using freehold::immortal;
using freehold::shared_ptr;
using freehold::weak_ptr;

namespace {

constexpr long for_ever = std::numeric_limits<long>::max();

struct settings {
    constexpr settings(int initial_port, const char* initial_host) : port(initial_port), host(initial_host) {}
    settings(const settings&) = delete;
    settings& operator=(const settings&) = delete;
    ~settings() { ended = true; }

    int port;
    const char* host;

    static inline bool ended = false;
};

constinit immortal<settings> defaults(80, "localhost");
constinit immortal<int> zero;

// A page that may not be written once an object is in it: a write ends the program.
class read_only_page {
public:
    explicit read_only_page(int value)
        : memory_(freehold::detail::take_pages(bytes, bytes)), object_(::new(memory_) immortal<int>(value)) {
        EXPECT_TRUE(support::make_read_only(memory_, bytes));
    }
    read_only_page(const read_only_page&) = delete;
    read_only_page& operator=(const read_only_page&) = delete;
    ~read_only_page() { freehold::detail::give_back_pages(memory_, bytes); }

    [[nodiscard]] immortal<int>& object() { return *object_; }

private:
    static constexpr std::size_t bytes = freehold::detail::page_granule;

    void* memory_;
    immortal<int>* object_;
};

// Effects: does what is done with a shared pointer.
template <class Counting>
void use(const shared_ptr<int, Counting>& p) {
    auto copy = p;
    auto moved = std::move(copy);
    copy = moved;
    const weak_ptr<int, Counting> weak = p;
    const weak_ptr<int, Counting> other_weak = weak;
    moved = weak.lock();
    const shared_ptr<const void, Counting> converted = p;
    const shared_ptr<int, Counting> alias(p, p.get());
    moved.reset();
    EXPECT_EQ(p.use_count(), for_ever);
}

}  // namespace

static_assert(sizeof(immortal<settings>) == sizeof(settings));
static_assert(!std::is_copy_constructible_v<immortal<int>>);
static_assert(!std::is_convertible_v<int, immortal<int>>);
static_assert(!std::is_constructible_v<immortal<settings>, int>);
static_assert(std::is_same_v<decltype(defaults.share()), shared_ptr<settings>>);
static_assert(std::is_same_v<decltype(defaults.share_local()), freehold::local_shared_ptr<settings>>);
static_assert(std::is_same_v<decltype(defaults.share_biased()), freehold::biased_shared_ptr<settings>>);
static_assert(noexcept(defaults.share()));

TEST(immortal, it_is_constructed_from_its_arguments_before_any_code_runs) {
    EXPECT_EQ(defaults.get().port, 80);
    EXPECT_STREQ(defaults.share()->host, "localhost");
    EXPECT_EQ(zero.get(), 0);
}

TEST(immortal, it_is_shared_by_any_number_and_owned_for_ever) {
    const shared_ptr<const settings> p = defaults.share();
    const auto copy = p;
    EXPECT_EQ(copy.get(), &defaults.get());
    EXPECT_EQ(p.use_count(), for_ever);
    EXPECT_EQ(copy.use_count(), for_ever);
    EXPECT_FALSE(p.unique());
}

TEST(immortal, it_outlives_its_last_owner) {
    settings::ended = false;
    auto p = defaults.share();
    auto q = std::move(p);
    EXPECT_EQ(p.use_count(), 0);
    q.reset();
    EXPECT_FALSE(settings::ended);
    EXPECT_EQ(defaults.share()->port, 80);
}

TEST(immortal, it_outlives_its_scope) {
    settings::ended = false;
    {
        immortal<settings> local(1, "here");
    }
    EXPECT_FALSE(settings::ended);
}

TEST(immortal, a_weak_pointer_always_locks) {
    auto p = defaults.share();
    const weak_ptr<settings> weak = p;
    p.reset();
    EXPECT_FALSE(weak.expired());
    EXPECT_EQ(weak.use_count(), for_ever);
    EXPECT_EQ(weak.lock(), defaults.share());
    EXPECT_EQ(shared_ptr<settings>(weak)->port, 80);
}

TEST(immortal, an_alias_is_as_immortal) {
    const shared_ptr<int> port(defaults.share(), &defaults.get().port);
    EXPECT_EQ(*port, 80);
    EXPECT_EQ(port.use_count(), for_ever);
    EXPECT_TRUE(port.owner_equal(defaults.share()));
}

TEST(immortal, owners_of_one_immortal_are_equivalent_and_those_of_two_are_not) {
    const auto p = defaults.share();
    const shared_ptr<void> q = zero.share();
    EXPECT_TRUE(p.owner_equal(defaults.share()));
    EXPECT_EQ(p.owner_hash(), weak_ptr<settings>(p).owner_hash());
    EXPECT_FALSE(p.owner_equal(q));
    EXPECT_NE(p.owner_before(q), q.owner_before(p));
    EXPECT_FALSE(p.owner_equal(shared_ptr<settings>()));
}

TEST(immortal, it_is_assigned_over_and_by_what_is_counted) {
    auto counted = shared_ptr<int>(new int(7));
    const auto copy = counted;
    counted = zero.share();
    EXPECT_EQ(copy.use_count(), 1);
    counted = copy;
    EXPECT_EQ(copy.use_count(), 2);
    EXPECT_EQ(*counted, 7);
}

TEST(immortal, it_has_no_deleter) { EXPECT_EQ(freehold::get_deleter<void (*)(settings*)>(defaults.share()), nullptr); }

TEST(immortal, nothing_is_counted) {
    support::tallied_counting::changes = 0;
    use(zero.share<support::tallied_counting>());
    EXPECT_EQ(support::tallied_counting::changes, 0);
}

TEST(immortal, no_use_of_its_owners_writes_to_it) {
    read_only_page page(7);
    use(page.object().share());
    use(page.object().share_local());
    support::start_first_thread();
    use(page.object().share());
}
