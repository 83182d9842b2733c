// The contract of the memory resources: an upstream may use the very resource that is just asking it for memory, say to
// write a log.

#include <cstddef>
#include <memory_resource>
#include <vector>

#include "families.hpp"
#include "support/filled_block.hpp"

namespace contracts {

using support::filled_block;

namespace {

// Takes a block from the resource above it before it serves a request of it.
class reentering_resource final : public std::pmr::memory_resource {
public:
    std::pmr::memory_resource* above = nullptr;
    std::vector<filled_block> blocks;

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        if (!entered_) {
            entered_ = true;
            blocks.emplace_back(*above, 40, 8, static_cast<unsigned>(blocks.size()));
            entered_ = false;
        }
        return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }

    void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
        std::pmr::new_delete_resource()->deallocate(block, bytes, alignment);
    }

    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    bool entered_ = false;
};

}  // namespace

CONTRACT(releasing_resource, its_upstream_may_allocate_from_it) {
    reentering_resource upstream;
    auto resource = TypeParam::make(&upstream);
    upstream.above = &resource;
    std::vector<filled_block> blocks;
    for (unsigned i = 0; i < 3000; ++i) blocks.emplace_back(resource, i % 100 == 0 ? 100'000 : 40, 8, i);
    EXPECT_GT(upstream.blocks.size(), 1U);
    for (const filled_block& block : blocks) EXPECT_TRUE(block.is_intact());
    for (const filled_block& block : upstream.blocks) EXPECT_TRUE(block.is_intact());
}

}  // namespace contracts
