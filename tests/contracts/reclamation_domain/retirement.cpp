// When and how retired objects are deleted.

#include "families.hpp"

#include <thread>

#include "support/child.hpp"

namespace contracts {

CONTRACT(reclamation_domain, what_is_read_is_deleted_when_its_protection_ends) {
    std::atomic<typename TestFixture::object*> source = new typename TestFixture::object;
    std::atomic<int> stage = 0;
    std::thread reader([&] {
        const typename TestFixture::protection read(source);
        stage = 1;
        stage.notify_all();
        stage.wait(1);
        EXPECT_TRUE(read.get()->is_alive());
    });
    stage.wait(0);
    source.exchange(nullptr)->retire();
    TestFixture::retire(100'000);
    EXPECT_GT(support::tracked::alive(), 0);
    stage = 2;
    stage.notify_all();
    reader.join();
    TypeParam::reclaim_all();
    EXPECT_EQ(support::tracked::alive(), 0);
}

CONTRACT(reclamation_domain, a_null_pointer_may_be_read) {
    const std::atomic<typename TestFixture::object*> source = nullptr;
    EXPECT_EQ(typename TestFixture::protection(source).get(), nullptr);
}

CONTRACT(reclamation_domain, bounds_what_a_thread_alone_leaves) { EXPECT_LE(TestFixture::retire(1'000'000), 4'240); }

CONTRACT(reclamation_domain, keeps_fewer_objects_if_they_are_large) {
    struct large : TypeParam::template base<large>, support::tracked {
        char bytes[1 << 20];
    };
    int most = 0;
    for (int i = 0; i < 100; ++i) {
        (new large)->retire();
        most = std::max(most, support::tracked::alive());
    }
    EXPECT_LE(most, 9);  // 8 MiB in all
}

namespace {

// A list whose nodes retire the next one when they are destroyed, and read meanwhile.
template <class Family>
struct node : Family::template base<node<Family>>, support::tracked {
    explicit node(node* after) : next(after) {}
    node(const node&) = delete;
    node& operator=(const node&) = delete;
    ~node() {
        const std::atomic<node*> source = next;
        const typename Family::template protection<node> read(source);
        if (read.get() != nullptr) read.get()->retire();
    }

    node* next;
};

}  // namespace

CONTRACT(reclamation_domain, reclaims_a_long_list_without_recursion) {
    node<TypeParam>* first = nullptr;
    for (int i = 0; i < 10'000; ++i) first = new node<TypeParam>(first);
    first->retire();
    TypeParam::reclaim_all();
    EXPECT_EQ(support::tracked::alive(), 0);
}

// In the middle of the work of a retirement. The child ends if what was lost is waited for in vain.
CONTRACT(reclamation_domain, deletes_what_deleters_retire_while_others_wait) {
    struct parent : TypeParam::template base<parent>, support::tracked {
        parent() = default;
        parent(const parent&) = delete;
        parent& operator=(const parent&) = delete;
        ~parent() { (new typename TestFixture::object)->retire(); }
    };
    const int status = support::in_child([] {
        for (int i = 0; i < 50'000; ++i) (new parent)->retire();
        for (int i = 0; i < 2; ++i) TypeParam::reclaim_all();
        return support::tracked::alive() == 0 ? 0 : 1;
    });
    EXPECT_EQ(status, 0);
}

namespace {

template <class Family>
struct recorded;

template <class Family>
struct recorder {
    void operator()(recorded<Family>* object) const { *last = object; }

    recorded<Family>** last = nullptr;
};

struct other_base {
    virtual ~other_base() = default;
};

// The base is not at the object's address.
template <class Family>
struct recorded : other_base, Family::template base<recorded<Family>, recorder<Family>> {};

}  // namespace

CONTRACT(reclamation_domain, calls_the_deleter_that_retire_was_given) {
    recorded<TypeParam> object;
    recorded<TypeParam>* last = nullptr;
    object.retire(recorder<TypeParam>{&last});
    EXPECT_EQ(last, nullptr);
    TypeParam::reclaim_all();
    EXPECT_EQ(last, &object);
}

CONTRACT(reclamation_domain, a_copy_of_a_retired_object_is_not_retired) {
    auto* const object = new typename TestFixture::object;
    object->retire();
    (new typename TestFixture::object(*object))->retire();
    TypeParam::reclaim_all();
    EXPECT_EQ(support::tracked::alive(), 0);
}

CONTRACT(reclamation_domain, threads_reuse_the_cache_lines_of_others) {
    const std::atomic<typename TestFixture::object*> source = nullptr;
    const auto before = TypeParam::readers_made();
    for (int i = 0; i < 10'000; ++i) {
        std::thread([&source] {
            const typename TestFixture::protection read(source);
            (new typename TestFixture::object)->retire();
        }).join();
    }
    TypeParam::reclaim_all();
    EXPECT_EQ(support::tracked::alive(), 0);
    EXPECT_LE(TypeParam::readers_made(), before + 1);
}

CONTRACT(reclamation_domain, threads_that_read_at_their_very_end_leave_their_cache_lines_to_others) {
    struct late_reader {
        late_reader() = default;
        late_reader(const late_reader&) = delete;
        late_reader& operator=(const late_reader&) = delete;
        ~late_reader() { const typename TestFixture::protection read(*source); }

        const std::atomic<typename TestFixture::object*>* source = nullptr;
    };
    const std::atomic<typename TestFixture::object*> source = nullptr;
    const auto before = TypeParam::readers_made();
    for (int i = 0; i < 100; ++i) {
        std::thread([&source] {
            static thread_local late_reader last;  // older than what the domain has of the thread
            last.source = &source;
            const typename TestFixture::protection read(source);
        }).join();
    }
    EXPECT_LE(TypeParam::readers_made(), before + 1);
}

}  // namespace contracts
