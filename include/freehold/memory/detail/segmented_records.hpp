#pragma once
// segmented_records<Record>: an array of records about memory, apart from that memory. Records never move.
//
// The first few are inside this object. The others are in segments, each as large as all records before it, so that n
// records take log n segments. The caller allocates them, outside of its mutex.
//
// Thread safety: one thread at a time. Exceptions: none.

#include <bit>
#include <cstddef>
#include <type_traits>

namespace freehold::detail {

template <class Record>
class segmented_records {
    static_assert(std::is_trivial_v<Record>);

    static constexpr std::size_t first_size = 4;
    static constexpr std::size_t max_segments = 36;  // more records than blocks fit into an address space

public:
    // Segments that were taken out, which the caller gives back when it holds no mutex.
    class taken_segments {
    public:
        template <class Upstream>
        void give_back(Upstream& upstream) const noexcept {
            for (std::size_t i = 0; i < count_; ++i) {
                upstream.deallocate(segments_[i], (first_size << i) * sizeof(Record), alignof(Record));
            }
        }

    private:
        friend segmented_records;

        std::size_t count_ = 0;
        Record* segments_[max_segments];
    };

    segmented_records() noexcept {}  // NOLINT(modernize-use-equals-default): `= default` may zero the records

    // Returns: how many records there is room for.
    [[nodiscard]] std::size_t capacity() const noexcept { return first_size << segment_count_; }

    // Requires: i < capacity(). The record is uninitialized until it is assigned to.
    [[nodiscard]] Record& operator[](std::size_t i) noexcept {
        if (i < first_size) return first_[i];
        const auto segment = static_cast<std::size_t>(std::bit_width(i / first_size)) - 1;
        return segments_[segment][i - (first_size << segment)];
    }

    // Returns: the bytes of the next segment, which doubles the capacity.
    [[nodiscard]] std::size_t next_segment_bytes() const noexcept { return capacity() * sizeof(Record); }

    // Effects: makes the memory the next segment. Requires: it has next_segment_bytes(), aligned as a record is.
    void add_segment(void* memory) noexcept { segments_[segment_count_++] = static_cast<Record*>(memory); }

    // Effects: forgets all segments and the records in them.
    void take_segments(taken_segments& taken) noexcept {
        for (std::size_t i = 0; i < segment_count_; ++i) taken.segments_[i] = segments_[i];
        taken.count_ = segment_count_;
        segment_count_ = 0;
    }

private:
    std::size_t segment_count_ = 0;
    Record first_[first_size];
    Record* segments_[max_segments];
};

}  // namespace freehold::detail
