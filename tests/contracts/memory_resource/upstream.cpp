// The contract of the memory resources: the default upstream.

#include <freehold/memory/page_cache.hpp>

#include <memory_resource>

#include "families.hpp"

namespace contracts {

CONTRACT(releasing_resource, its_upstream_is_the_shared_page_cache_when_the_program_has_set_no_default_resource) {
    const typename TypeParam::resource resource;
    EXPECT_EQ(resource.upstream_resource(), &freehold::page_cache::shared());
}

CONTRACT(releasing_resource, its_upstream_is_the_default_resource_that_the_program_has_set) {
    support::ledger_resource upstream;
    std::pmr::memory_resource* const before = std::pmr::set_default_resource(&upstream);
    {
        typename TypeParam::resource resource;
        std::pmr::set_default_resource(before);
        EXPECT_EQ(resource.upstream_resource(), &upstream);
        resource.deallocate(resource.allocate(1), 1);
        EXPECT_GT(upstream.allocations, 0);
    }
    EXPECT_EQ(upstream.bytes_live, 0U);
}

}  // namespace contracts
