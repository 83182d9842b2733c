// Objects that know their owners from the beginning, alike for shared_ptr and local_shared_ptr.

#include <freehold/pointers/make_shared_with_weak.hpp>

#include <cstdint>
#include <stdexcept>
#include <utility>

#include <freehold/pointers/copy_on_write.hpp>
#include <freehold/pointers/enable_shared_from_this.hpp>

#include "contracts/shared_family/shared_family.hpp"

namespace {

template <class Family>
struct linked_node : support::tracked {
    using weak = typename Family::template weak<linked_node>;

    linked_node(weak to_itself, int initial) : self(std::move(to_itself)), value(initial) {}
    linked_node(const linked_node&) = delete;
    linked_node& operator=(const linked_node&) = delete;

    weak self;
    int value;
};

template <class Family>
class make_shared_with_weak : public contracts::shared_family<Family> {
protected:
    using linked = linked_node<Family>;
    using linked_weak = typename linked::weak;

    template <class T, class Make>
    static auto make_cyclic(Make make) {
        return freehold::make_shared_with_weak<T, typename Family::counting>(std::move(make));
    }

    static auto make_node(int value) {
        return make_cyclic<linked>([value](const linked_weak& self) { return linked(self, value); });
    }
};

}  // namespace

template <>
struct support::implementations<make_shared_with_weak> {
    using types = contracts::shared_families;
};

CONTRACT(make_shared_with_weak, an_object_has_a_weak_pointer_to_itself) {
    const auto p = TestFixture::make_node(7);
    EXPECT_EQ(p->value, 7);
    EXPECT_EQ(p->self.lock(), p);
    EXPECT_EQ(p.use_count(), 1);
}

CONTRACT(make_shared_with_weak, it_is_destroyed_with_its_last_owner) {
    auto p = TestFixture::make_node(7);
    const auto weak = p->self;
    auto copy = p;
    p.reset();
    EXPECT_EQ(TestFixture::destroyed(), 0);
    copy.reset();
    EXPECT_EQ(TestFixture::destroyed(), 1);
    EXPECT_TRUE(weak.expired());
}

CONTRACT(make_shared_with_weak, there_is_no_owner_while_it_is_constructed) {
    typename TestFixture::linked_weak kept;
    const auto p = TestFixture::template make_cyclic<typename TestFixture::linked>([&](const auto& self) {
        EXPECT_TRUE(self.expired());
        EXPECT_EQ(self.use_count(), 0);
        EXPECT_FALSE(self.lock());
        kept = self;
        return typename TestFixture::linked(self, 7);
    });
    EXPECT_EQ(kept.lock(), p) << "a weak pointer from before finds the owner";
}

CONTRACT(make_shared_with_weak, it_need_not_keep_the_weak_pointer) {
    const auto p = TestFixture::template make_cyclic<int>([](const auto&) { return 7; });
    EXPECT_EQ(*p, 7);
    EXPECT_EQ(p.use_count(), 1);
    const auto q = TestFixture::template make_cyclic<const int>([](const auto&) { return 8; });
    EXPECT_EQ(*q, 8);
}

CONTRACT(make_shared_with_weak, the_weak_pointer_of_the_construction_is_released) {
    auto p = TestFixture::template make_cyclic<int>([](const auto&) { return 7; });
    auto* const before = p.get();
    freehold::make_mutable(p) = 8;
    EXPECT_EQ(p.get(), before) << "an object with weak pointers would have been copied";
}

CONTRACT(make_shared_with_weak, a_function_that_throws_leaves_expired_weak_pointers) {
    typename TestFixture::linked_weak kept;
    const auto refuse = [&](const auto& self) -> typename TestFixture::linked {
        kept = self;
        throw std::invalid_argument("refused");
    };
    EXPECT_THROW(TestFixture::template make_cyclic<typename TestFixture::linked>(refuse), std::invalid_argument);
    EXPECT_TRUE(kept.expired());
    EXPECT_FALSE(kept.lock());
    EXPECT_EQ(TestFixture::destroyed(), 0);
}

CONTRACT(make_shared_with_weak, an_over_aligned_object_is_aligned) {
    struct alignas(256) over_aligned {
        char bytes[300] = {};
    };
    const auto p = TestFixture::template make_cyclic<over_aligned>([](const auto&) { return over_aligned(); });
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p.get()) % 256, 0U);
}

CONTRACT(make_shared_with_weak, an_object_that_makes_owners_of_itself_knows_them) {
    struct self_aware : freehold::enable_shared_from_this<self_aware, typename TestFixture::counting> {};
    const auto p = TestFixture::template make_cyclic<self_aware>([](const auto&) { return self_aware(); });
    EXPECT_EQ(p->shared_from_this(), p);
}
