#pragma once
// idle_pages: ranges of pages that no one uses, of any sizes and from any mappings.
//
// Neighbors merge, and a request may be cut from a larger range: what was freed in one size serves every other. A range
// is found by its size class, 16 to each doubling, and by its two ends. The records are in pages of their own.
//
// Thread safety: one thread at a time. Exceptions: none.
// Complexity: constant on average, up to some thousands of ranges. Cost: 64 bytes a range.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/platform/pages.hpp"

namespace freehold::inline v0_2::detail {

struct page_range {
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
};

class idle_pages {
public:
    // Returns: the size that a request gets, less than a page or a sixteenth more. Requires: 0 < bytes < 2^60.
    [[nodiscard]] static constexpr std::size_t rounded(std::size_t bytes) noexcept {
        return round_up(bytes, detail::larger(page_granule, std::bit_floor(bytes) / per_doubling));
    }

    // Returns: the class of ranges of at least the size. Below 16 granules each size is a class.
    [[nodiscard]] static constexpr std::size_t class_of(std::size_t bytes) noexcept {
        const std::size_t granules = bytes / page_granule;
        const auto width = static_cast<std::size_t>(std::bit_width(granules / per_doubling));
        const std::size_t doubling = width == 0 ? 0 : width - 1;
        return per_doubling * doubling + (granules >> doubling);
    }

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    // Effects: adds the range, as the newest. Returns: false, with no effect, if there is no memory for a record.
    [[nodiscard]] bool add(page_range added) noexcept {
        if (!has_unused_record()) return false;
        bytes_ += added.bytes;
        if (range* const left = *ending_at(added.begin)) {
            added = {left->begin, left->bytes + added.bytes};
            drop(left);
        }
        if (range* const right = *beginning_at(added.begin + added.bytes)) {
            added.bytes += right->bytes;
            drop(right);
        }
        range* const made = make(added);
        made->newer = nullptr;
        made->older = newest_;
        (newest_ != nullptr ? newest_->newer : oldest_) = made;
        newest_ = made;
        return true;
    }

    // Returns: the beginning of pages with the size and alignment, taken out, or null.
    // Requires: bytes == rounded(bytes); the alignment is a power of two and a multiple of page_granule.
    [[nodiscard]] std::byte* take(std::size_t bytes, std::size_t alignment) noexcept {
        if (bytes > bytes_) return nullptr;
        // The newest range of each class is looked at. From some class on, every one has room for the alignment.
        for (std::size_t i = used_class(class_of(bytes)); i < classes; i = used_class(i + 1)) {
            const auto address = reinterpret_cast<std::uintptr_t>(of_class_[i]->begin);
            const std::size_t before = round_up(address, alignment) - address;
            if (before + bytes <= of_class_[i]->bytes && (before == 0 || has_unused_record())) {
                return cut(of_class_[i], before, bytes);
            }
        }
        return nullptr;
    }

    // Returns: at most `most` bytes, a multiple of page_granule, of the oldest range, taken out; none if there is none.
    [[nodiscard]] page_range take_oldest(std::size_t most) noexcept {
        if (oldest_ == nullptr || most == 0) return {};
        const page_range whole{oldest_->begin, oldest_->bytes};
        const std::size_t left = whole.bytes - detail::smaller(whole.bytes, most);
        bytes_ -= whole.bytes - left;
        if (left == 0) {
            drop(oldest_);
        } else {
            resize(oldest_, whole.begin, left);
        }
        return {whole.begin + left, whole.bytes - left};
    }

    // Effects: gives the memory of the records back. Requires: there is no range.
    void give_back_records() noexcept {
        ends_ = nullptr;
        unused_ = fresh_ = fresh_end_ = nullptr;
        while (mappings_ != nullptr) give_back_pages(std::exchange(mappings_, mappings_->older), mapping_bytes);
    }

private:
    static constexpr std::size_t per_doubling = 16;
    static constexpr std::size_t classes = 48 * per_doubling;
    static constexpr std::size_t buckets = 1024;
    static constexpr std::size_t mapping_bytes = std::size_t{64} * 1024;

    struct range {
        std::byte* begin;
        std::size_t bytes;
        range* next_of_class;  // also links the unused records
        range* previous_of_class;
        range* older;
        range* newer;
        range* next_by_begin;
        range* next_by_end;
    };

    // Where ranges are found by their ends. Pages are fresh, so it begins empty.
    struct ends {
        range* by_begin[buckets];
        range* by_end[buckets];
    };

    // Pages of records. The first ones begin with the ends.
    struct mapping {
        mapping* older;
    };

    // Returns: the first class from `begin` on that has a range, or `classes`.
    [[nodiscard]] std::size_t used_class(std::size_t begin) const noexcept {
        std::uint64_t skipped = ~std::uint64_t{0} << begin % 64;
        for (std::size_t word = begin / 64; word < classes / 64; ++word) {
            const std::uint64_t found = used_[word] & skipped;
            if (found != 0) return word * 64 + static_cast<std::size_t>(std::countr_zero(found));
            skipped = ~std::uint64_t{0};
        }
        return classes;
    }

    [[nodiscard]] static std::size_t bucket_of(const std::byte* end) noexcept {
        const std::uint64_t page = reinterpret_cast<std::uintptr_t>(end) / page_granule;
        return static_cast<std::size_t>(page * 0x9E3779B97F4A7C15U >> 54) % buckets;
    }

    // Returns: the link that refers to the range which begins there, or is null where none does.
    [[nodiscard]] range** beginning_at(const std::byte* address) noexcept {
        range** place = &ends_->by_begin[bucket_of(address)];
        while (*place != nullptr && (*place)->begin != address) place = &(*place)->next_by_begin;
        return place;
    }

    [[nodiscard]] range** ending_at(const std::byte* address) noexcept {
        range** place = &ends_->by_end[bucket_of(address)];
        while (*place != nullptr && (*place)->begin + (*place)->bytes != address) place = &(*place)->next_by_end;
        return place;
    }

    // Effects: makes the range one that is found.
    void link(range* added) noexcept {
        const std::size_t index = class_of(added->bytes);
        added->previous_of_class = nullptr;
        added->next_of_class = of_class_[index];
        if (of_class_[index] != nullptr) of_class_[index]->previous_of_class = added;
        of_class_[index] = added;
        used_[index / 64] |= std::uint64_t{1} << index % 64;
        added->next_by_begin = std::exchange(ends_->by_begin[bucket_of(added->begin)], added);
        added->next_by_end = std::exchange(ends_->by_end[bucket_of(added->begin + added->bytes)], added);
    }

    void unlink(range* removed) noexcept {
        const std::size_t index = class_of(removed->bytes);
        if (removed->next_of_class != nullptr) removed->next_of_class->previous_of_class = removed->previous_of_class;
        (removed->previous_of_class != nullptr ? removed->previous_of_class->next_of_class : of_class_[index]) =
            removed->next_of_class;
        if (of_class_[index] == nullptr) used_[index / 64] &= ~(std::uint64_t{1} << index % 64);
        *beginning_at(removed->begin) = removed->next_by_begin;
        *ending_at(removed->begin + removed->bytes) = removed->next_by_end;
    }

    // Effects: changes the range, which keeps its age.
    void resize(range* changed, std::byte* begin, std::size_t bytes) noexcept {
        unlink(changed);
        changed->begin = begin;
        changed->bytes = bytes;
        link(changed);
    }

    // Effects: forgets the range.
    void drop(range* removed) noexcept {
        unlink(removed);
        (removed->newer != nullptr ? removed->newer->older : newest_) = removed->older;
        (removed->older != nullptr ? removed->older->newer : oldest_) = removed->newer;
        removed->next_of_class = std::exchange(unused_, removed);
    }

    // Returns: `bytes` bytes from the range. Requires: a record is unused, if something is left on both sides.
    [[nodiscard]] std::byte* cut(range* from, std::size_t before, std::size_t bytes) noexcept {
        const page_range whole{from->begin, from->bytes};
        const std::size_t after = whole.bytes - before - bytes;
        bytes_ -= bytes;
        if (before != 0) {
            resize(from, whole.begin, before);
        } else if (after != 0) {
            resize(from, whole.begin + bytes, after);
        } else {
            drop(from);
        }
        if (before != 0 && after != 0) add_older(from, {whole.begin + before + bytes, after});
        return whole.begin + before;
    }

    // Effects: adds a range that is as old as `like`.
    void add_older(range* like, page_range added) noexcept {
        range* const made = make(added);
        made->newer = like;
        made->older = like->older;
        (like->older != nullptr ? like->older->newer : oldest_) = made;
        like->older = made;
    }

    // Returns: whether there is an unused record, after mapping some if there was none.
    [[nodiscard]] bool has_unused_record() noexcept {
        if (unused_ != nullptr || fresh_ != fresh_end_) return true;
        auto* const memory = static_cast<std::byte*>(take_pages(mapping_bytes, page_granule));
        if (memory == nullptr) return false;
        mappings_ = ::new (memory) mapping{mappings_};
        std::size_t used = sizeof(range);  // so that records do not cross a cache line
        if (ends_ == nullptr) {
            ends_ = reinterpret_cast<ends*>(memory + used);
            used += sizeof(ends);
        }
        fresh_ = reinterpret_cast<range*>(memory + used);
        fresh_end_ = fresh_ + (mapping_bytes - used) / sizeof(range);
        return true;
    }

    // Returns: a record of the range, which is found from now on. Requires: has_unused_record().
    [[nodiscard]] range* make(page_range added) noexcept {
        range* const made = unused_ == nullptr ? fresh_++ : std::exchange(unused_, unused_->next_of_class);
        made->begin = added.begin;
        made->bytes = added.bytes;
        link(made);
        return made;
    }

    range* of_class_[classes] = {};
    std::uint64_t used_[classes / 64] = {};  // bit i: class i has a range
    range* newest_ = nullptr;
    range* oldest_ = nullptr;
    std::size_t bytes_ = 0;
    ends* ends_ = nullptr;
    range* unused_ = nullptr;
    range* fresh_ = nullptr;  // records from here on were never used
    range* fresh_end_ = nullptr;
    mapping* mappings_ = nullptr;
};

}  // namespace freehold::detail
