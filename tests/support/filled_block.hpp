#pragma once
// filled_block: a block of a memory resource, filled with a pattern that tells when another block overlaps it.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace support {

using sizes = std::vector<std::size_t>;

[[nodiscard]] inline bool is_aligned(const void* block, std::size_t alignment) noexcept {
    return reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
}

class filled_block {
public:
    // Effects: allocates a block and fills it. `pattern` should differ from that of the other blocks.
    filled_block(auto& resource, std::size_t bytes, std::size_t alignment, unsigned pattern)
        : begin_(static_cast<unsigned char*>(resource.allocate(bytes, alignment))),
          bytes_(bytes),
          alignment_(alignment),
          pattern_(static_cast<unsigned char>(pattern)) {
        EXPECT_NE(begin_, nullptr);
        EXPECT_TRUE(is_aligned(begin_, alignment_)) << bytes_ << " bytes, alignment " << alignment_;
        std::memset(begin_, pattern_, bytes_);
    }

    [[nodiscard]] bool is_intact() const noexcept {
        for (std::size_t i = 0; i < bytes_; ++i) {
            if (begin_[i] != pattern_) return false;
        }
        return true;
    }

    // Effects: checks that nobody else has written to the block, and frees it.
    void free(auto& resource) const {
        EXPECT_TRUE(is_intact()) << bytes_ << " bytes, alignment " << alignment_;
        resource.deallocate(begin_, bytes_, alignment_);
    }

    [[nodiscard]] void* begin() const noexcept { return begin_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
    unsigned char* begin_;
    std::size_t bytes_;
    std::size_t alignment_;
    unsigned char pattern_;
};

}  // namespace support
