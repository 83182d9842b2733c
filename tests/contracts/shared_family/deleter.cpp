// The contract of the shared_ptr family: deleters ([util.smartptr.shared.const], [util.smartptr.getdeleter]).

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "shared_family.hpp"

namespace contracts {

namespace {

struct base {
    int value = 1;
};

struct derived : base, support::tracked {
    int other_value = 2;
};

// Records its argument and its destruction.
class recording_deleter {
public:
    struct record {
        int calls = 0;
        const void* last = nullptr;
        int copies = 0;
        int deleters_alive = 0;
    };

    explicit recording_deleter(record& target) : record_(&target) { ++record_->deleters_alive; }
    recording_deleter(const recording_deleter& other) : recording_deleter(*other.record_) { ++record_->copies; }
    recording_deleter(recording_deleter&& other) noexcept : recording_deleter(*other.record_) {}
    recording_deleter& operator=(const recording_deleter&) = delete;
    ~recording_deleter() { --record_->deleters_alive; }

    void operator()(const void* pointer) const {
        ++record_->calls;
        record_->last = pointer;
    }

private:
    record* record_;
};

void delete_by_function(const object* p) { delete p; }

}  // namespace

CONTRACT(shared_family, the_deleter_is_called_once_by_the_last_owner) {
    recording_deleter::record record;
    int value = 0;
    auto p = TestFixture::own(&value, recording_deleter(record));
    auto copy = p;
    p.reset();
    EXPECT_EQ(record.calls, 0);
    copy.reset();
    EXPECT_EQ(record.calls, 1);
    EXPECT_EQ(record.last, &value);
}

CONTRACT(shared_family, the_deleter_gets_the_pointer_that_was_given_and_not_the_one_that_is_stored) {
    recording_deleter::record record;
    int value = 0;
    int other = 0;
    {
        auto p = TestFixture::own(&value, recording_deleter(record));
        p = TestFixture::alias(p, &other);
        EXPECT_EQ(record.calls, 0);
    }
    EXPECT_EQ(record.calls, 1);
    EXPECT_EQ(record.last, &value);
}

CONTRACT(shared_family, a_null_pointer_with_a_deleter_is_owned) {
    recording_deleter::record record;
    {
        const typename TestFixture::template pointer<int> p(nullptr, recording_deleter(record));
        EXPECT_FALSE(p);
        EXPECT_EQ(p.use_count(), 1);
        const auto copy = p;
        EXPECT_EQ(copy.use_count(), 2);
    }
    EXPECT_EQ(record.calls, 1);
    EXPECT_EQ(record.last, nullptr);
}

CONTRACT(shared_family, a_null_pointer_may_be_the_macro) {
    recording_deleter::record record;
    {
        const typename TestFixture::template pointer<int> p(NULL, recording_deleter(record));
        EXPECT_EQ(p.use_count(), 1);
    }
    EXPECT_EQ(record.calls, 1);
}

CONTRACT(shared_family, a_deleter_may_be_generic_and_fit_no_null_pointer) {
    const auto p = TestFixture::own(new object(), [](auto* pointer) { delete pointer; });
    const auto q = TestFixture::own(new object(), [](auto pointer) { delete pointer; });  // LWG 4110
    EXPECT_EQ(p.use_count(), q.use_count());
}

CONTRACT(shared_family, a_typed_null_pointer_is_owned_and_deleted) {
    recording_deleter::record record;
    {
        const auto p = TestFixture::own(static_cast<int*>(nullptr), recording_deleter(record));
        EXPECT_EQ(p.use_count(), 1);
    }
    EXPECT_EQ(record.calls, 1);
    const auto q = TestFixture::own(static_cast<object*>(nullptr));
    EXPECT_EQ(q.use_count(), 1);
}

CONTRACT(shared_family, an_object_is_deleted_as_what_it_was_given_as_without_a_virtual_destructor) {
    {
        const typename TestFixture::template pointer<base> p(new derived);
    }
    EXPECT_EQ(TestFixture::destroyed(), 1);
    {
        const typename TestFixture::template pointer<void> p(new object);
    }
    EXPECT_EQ(TestFixture::destroyed(), 2);
}

CONTRACT(shared_family, a_deleter_may_be_a_function_or_a_reference_to_an_object) {
    {
        const auto p = TestFixture::own(new object, &delete_by_function);
    }
    EXPECT_EQ(TestFixture::destroyed(), 1);
    recording_deleter::record record;
    const recording_deleter deleter(record);
    int value = 0;
    {
        const auto p = TestFixture::own(&value, std::ref(deleter));
    }
    EXPECT_EQ(record.calls, 1);
    EXPECT_EQ(record.copies, 0);
}

CONTRACT(shared_family, a_deleter_is_moved_and_not_copied) {
    recording_deleter::record record;
    int value = 0;
    {
        const auto p = TestFixture::own(&value, recording_deleter(record));
    }
    EXPECT_EQ(record.copies, 0);
    auto only_movable = [keep = std::make_unique<int>(0)](int*) {};
    const auto q = TestFixture::own(&value, std::move(only_movable));
    EXPECT_EQ(q.use_count(), 1);
}

CONTRACT(shared_family, a_deleter_is_destroyed_after_the_last_weak_pointer) {
    recording_deleter::record record;
    int value = 0;
    auto p = TestFixture::own(&value, recording_deleter(record));
    auto weak = TestFixture::weak_to(p);
    p.reset();
    EXPECT_EQ(record.calls, 1);
    EXPECT_EQ(record.deleters_alive, 1);
    weak.reset();
    EXPECT_EQ(record.deleters_alive, 0);
}

CONTRACT(shared_family, a_deleter_is_destroyed_with_the_last_owner_without_weak_pointers) {
    recording_deleter::record record;
    int value = 0;
    auto p = TestFixture::own(&value, recording_deleter(record));
    EXPECT_EQ(record.deleters_alive, 1);
    p.reset();
    EXPECT_EQ(record.deleters_alive, 0);
}

CONTRACT(shared_family, reset_replaces_object_and_deleter) {
    recording_deleter::record first;
    recording_deleter::record second;
    int values[2] = {};
    auto p = TestFixture::own(&values[0], recording_deleter(first));
    p.reset(&values[1], recording_deleter(second));
    EXPECT_EQ(p.get(), &values[1]);
    EXPECT_EQ(first.calls, 1);
    EXPECT_EQ(second.calls, 0);
    p.reset();
    EXPECT_EQ(second.calls, 1);
    EXPECT_EQ(second.last, &values[1]);
}

CONTRACT(shared_family, reset_deletes_the_old_object_when_the_new_one_is_stored) {
    int values[2] = {};
    typename TestFixture::template pointer<int> p;
    const int* seen = nullptr;
    p.reset(&values[0], [&](int*) { seen = p.get(); });
    p.reset(&values[1], [](int*) {});
    EXPECT_EQ(seen, &values[1]);
}

CONTRACT(shared_family, a_deleter_may_use_the_library_again) {
    int value = 0;
    auto other = TestFixture::make();
    typename TestFixture::template pointer<int> p(&value, [&](int*) {
        p.reset();
        other = TestFixture::make();
    });
    p.reset();
    EXPECT_EQ(TestFixture::destroyed(), 1);
    EXPECT_FALSE(p);
}

CONTRACT(shared_family, a_weak_pointer_is_expired_for_the_deleter) {
    int value = 0;
    typename TestFixture::template weak_pointer<int> weak;
    bool expired = false;
    auto p = TestFixture::own(&value, [&](int*) { expired = weak.expired() && weak.lock() == nullptr; });
    weak = p;
    p.reset();
    EXPECT_TRUE(expired);
}

CONTRACT(shared_family, get_deleter_finds_the_deleter_by_its_exact_type) {
    struct deleter {
        void operator()(const void*) const {}
        int state = 0;
    };
    struct other_deleter : deleter {};
    int value = 0;
    const auto p = TestFixture::own(&value, deleter{5});
    ASSERT_NE(freehold::get_deleter<deleter>(p), nullptr);
    EXPECT_EQ(freehold::get_deleter<deleter>(p)->state, 5);
    EXPECT_EQ(freehold::get_deleter<const deleter>(p), freehold::get_deleter<deleter>(p));
    EXPECT_EQ(freehold::get_deleter<other_deleter>(p), nullptr);
    EXPECT_EQ(freehold::get_deleter<deleter*>(p), nullptr);
}

CONTRACT(shared_family, get_deleter_finds_the_deleter_through_every_owner) {
    struct deleter {
        void operator()(const void*) const {}
    };
    const derived value;
    const auto p = TestFixture::own(&value, deleter());
    const auto* const found = freehold::get_deleter<deleter>(p);
    ASSERT_NE(found, nullptr);
    const typename TestFixture::template pointer<const base> converted = p;
    EXPECT_EQ(freehold::get_deleter<deleter>(converted), found);
    const auto alias = TestFixture::alias(p, &value.value);
    EXPECT_EQ(freehold::get_deleter<deleter>(alias), found);
}

CONTRACT(shared_family, get_deleter_finds_none_where_none_was_given) {
    using function = void (*)(const object*);
    EXPECT_EQ(freehold::get_deleter<function>(typename TestFixture::template pointer<object>()), nullptr);
    const auto p = TestFixture::own(new object);
    EXPECT_EQ(freehold::get_deleter<function>(p), nullptr);
    EXPECT_EQ(freehold::get_deleter<std::default_delete<object>>(p), nullptr);
    EXPECT_EQ(freehold::get_deleter<function>(TestFixture::make()), nullptr);
}

}  // namespace contracts
