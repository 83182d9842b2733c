#pragma once
// What the objects of a traced heap own outside of it, for the pacer: a collection frees that as well.
//
// Three kinds of objects are asked in three ways:
//
//   marked   a collection asks each object when it traces it. Of these it remembers a sample, which is asked again now
//            and then: an object may be filled long after it was made.
//   new      a sample of each type is asked whenever some more cells of the type are used up: few while its objects own
//            much, so that this comes in time. Runs are no longer than that. In a heap that threads share, all are
//            stopped meanwhile, as a collection stops them: any thread may be changing an object that another has made.
//   any      what the program says by traced_heap::external_bytes is in a table, and leaves it with the object.
//
// Types that can own nothing are known at compile time and never come here.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/growing_buffer.hpp"
#include "chunk_table.hpp"
#include "traced_chunk.hpp"

namespace freehold::inline v0_2::detail {

// Up to 2n values out of a sequence of any length, at equal distances: when there are too many, every other one goes.
template <class Value, std::size_t n>
class even_sample {
public:
    // Effects: `count` values follow, of which value(i) is the one of number i.
    template <class Make>
    void add(std::size_t count, Make value) noexcept {
        for (std::size_t i = round_up(seen_, distance_); i < seen_ + count;) {
            if (values_.size() == 2 * n) {
                thin_out();
                i = round_up(i, distance_);
            } else {
                if (!values_.reserve(2 * n)) return;  // out of memory: these are not in the sample
                values_.add(value(i - seen_));
                i += distance_;
            }
        }
        seen_ += count;
    }

    void clear() noexcept {
        values_.truncate(0);
        seen_ = 0;
        distance_ = 1;
    }

    void swap(even_sample& other) noexcept {
        values_.swap(other.values_);
        std::swap(seen_, other.seen_);
        std::swap(distance_, other.distance_);
    }

    [[nodiscard]] Value* begin() noexcept { return values_.begin(); }
    [[nodiscard]] Value* end() noexcept { return values_.end(); }
    [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }

    // The number of values of the sequence that one of the sample stands for.
    [[nodiscard]] std::size_t weight() const noexcept { return distance_; }

private:
    void thin_out() noexcept {
        for (std::size_t i = 0; i < n; ++i) values_[i] = values_[2 * i];
        values_.truncate(n);
        distance_ *= 2;
    }

    growing_list<Value> values_;  // none before the first: many heaps have no object that owns memory
    std::size_t seen_ = 0;
    std::size_t distance_ = 1;  // a power of two
};

// What a marked object owned when it was asked. Its address is inverted, as the heap may be on a conservative stack:
// the address would keep the object alive.
struct asked_object {
    std::uintptr_t inverted;
    std::size_t (*ask)(const void*) noexcept;
    std::size_t bytes;

    [[nodiscard]] const void* object() const noexcept { return std::bit_cast<const void*>(~inverted); }
};

// The marked objects, as the marker asks them.
class marked_owners {
public:
    void add(const void* object, std::size_t (*ask)(const void*) noexcept, std::size_t owned) noexcept {
        bytes += owned;
        sample_.add(1, [&](std::size_t) { return asked_object{~std::bit_cast<std::uintptr_t>(object), ask, owned}; });
    }

    // Effects: asks the sample again, and changes `bytes` by what the objects have gained or lost since.
    void ask_again() noexcept {
        std::size_t gained = 0;
        std::size_t lost = 0;
        for (asked_object& each : sample_) {
            const std::size_t now = each.ask(each.object());
            (now > each.bytes ? gained : lost) += (now > each.bytes ? now - each.bytes : each.bytes - now);
            each.bytes = now;
        }
        bytes += gained * sample_.weight();
        bytes -= detail::smaller(bytes, lost * sample_.weight());
    }

    // Effects: a collection marks all objects anew.
    void clear() noexcept {
        bytes = 0;
        sample_.clear();
    }

    void swap(marked_owners& other) noexcept {
        std::swap(bytes, other.bytes);
        sample_.swap(other.sample_);
    }

    std::size_t bytes = 0;

private:
    even_sample<asked_object, 32> sample_;
};

// The new objects of one type.
class new_owners {
public:
    // Between two times that objects are asked, there are at most `max_cells` cells for others.
    explicit new_owners(std::size_t max_cells) noexcept : max_cells_(max_cells) {}

    // Returns: whether the sample is to be asked before there are other objects.
    [[nodiscard]] bool is_due() const noexcept { return left_ == 0 && sample_.size() != 0; }

    // Returns: the cells that the next run may have.
    [[nodiscard]] std::size_t max_run() noexcept {
        if (left_ == 0) go_on();
        return left_;
    }

    // Effects: notes the cells from `first` on, which may be filled later.
    void add(const std::byte* first, std::size_t cells, std::size_t cell_bytes) noexcept {
        left_ -= detail::smaller(left_, cells);
        sample_.add(cells, [=](std::size_t i) { return first + i * cell_bytes; });
    }

    // Effects: asks the sample. Returns: what all new objects own.
    std::size_t ask() noexcept {
        std::size_t sum = 0;
        std::size_t asked = 0;
        for (const std::byte* const cell : sample_) {
            const traced_block& block = wide_chunks::block_of(cell);
            if (!block.is_to_be_destroyed(block.index_of(cell))) continue;  // not constructed yet
            sum += block.type->owned_bytes(cell);
            ++asked;
        }
        if (asked != 0) each_owns_ = sum / asked;
        go_on();
        return bytes_ = sum * sample_.weight();
    }

    // Returns: what all new objects owned when they were asked.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    // Effects: there are no new objects.
    void clear() noexcept {
        sample_.clear();
        bytes_ = 0;
    }

private:
    static constexpr std::size_t max_bytes = std::size_t{1} << 20;

    // Effects: there are cells for objects that own about max_bytes, if they are like those before.
    void go_on() noexcept {
        cells_ = detail::smaller(2 * cells_, max_cells_);
        if (each_owns_ != 0) cells_ = detail::clamp(max_bytes / each_owns_, std::size_t{1}, cells_);
        left_ = cells_;
    }

    const std::size_t max_cells_;
    even_sample<const std::byte*, 16> sample_;
    std::size_t bytes_ = 0;
    std::size_t each_owns_ = 0;
    std::size_t cells_ = 1;
    std::size_t left_ = 1;  // of them
};

// What the program said of objects: a hash table with open addresses.
class told_bytes {
public:
    // Effects: the object owns `bytes` bytes. Throws: std::bad_alloc; then nothing has changed.
    void set(const void* object, std::size_t bytes) {
        if (2 * (count_ + 1) > entries_.size()) grow();
        entry& found = entries_[place_of(object)];
        if (found.object == nullptr) {
            if (!new_.push(object)) raise<std::bad_alloc>();
            found = {object, 0};
            ++count_;
        }
        total_ = total_ - found.bytes + bytes;
        found.bytes = bytes;
    }

    // Effects: removes the objects that !keeps(object): of those that were added since the last call, or of `all`.
    template <class Keeps>
    void remove_unless(bool all, Keeps keeps) noexcept {
        for (std::size_t i = 0; all && i < entries_.size();) {
            const void* const object = entries_[i].object;
            if (object == nullptr || keeps(object)) {
                ++i;
            } else {
                remove(i);  // another one may have moved here
            }
        }
        for (const void* const object : new_) {
            const std::size_t place = place_of(object);
            if (entries_[place].object != nullptr && !keeps(object)) remove(place);
        }
        new_.truncate(0);
    }

    [[nodiscard]] std::size_t total() const noexcept { return total_; }

    // Returns: what was said of the object.
    [[nodiscard]] std::size_t of(const void* object) const noexcept {
        return count_ == 0 ? 0 : entries_[place_of(object)].bytes;
    }

private:
    struct entry {
        const void* object = nullptr;
        std::size_t bytes = 0;
    };

    void grow() {
        growing_list<entry> larger;
        if (!larger.extend(detail::larger(std::size_t{16}, 2 * entries_.size()))) raise<std::bad_alloc>();
        larger.swap(entries_);
        for (const entry& each : larger) {
            if (each.object != nullptr) entries_[place_of(each.object)] = each;
        }
    }

    [[nodiscard]] std::size_t first_place(const void* object) const noexcept {
        const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(object) * std::uint64_t{0x9E37'79B9'7F4A'7C15};
        return static_cast<std::size_t>(mixed >> 32) & (entries_.size() - 1);
    }

    // Returns: the place of the object, or the one for it.
    [[nodiscard]] std::size_t place_of(const void* object) const noexcept {
        std::size_t i = first_place(object);
        while (entries_[i].object != nullptr && entries_[i].object != object) i = (i + 1) & (entries_.size() - 1);
        return i;
    }

    // Effects: removes the entry; those after it that could not have its place before move up.
    void remove(std::size_t gap) noexcept {
        total_ -= entries_[gap].bytes;
        --count_;
        const std::size_t mask = entries_.size() - 1;
        for (std::size_t i = (gap + 1) & mask; entries_[i].object != nullptr; i = (i + 1) & mask) {
            if (((i - first_place(entries_[i].object)) & mask) < ((i - gap) & mask)) continue;
            entries_[gap] = entries_[i];
            gap = i;
        }
        entries_[gap] = {};
    }

    growing_list<entry> entries_;    // their number is a power of two; at least half are empty
    growing_list<const void*> new_;  // added since the last collection
    std::size_t count_ = 0;
    std::size_t total_ = 0;
};

class external_memory {
public:
    marked_owners marked;   // the marker adds to it,
    marked_owners reached;  // and during a marking cycle those that this has reached
    told_bytes told;

    ~external_memory() {
        for (const new_owners* const each : by_type_) delete each;
    }

    // Returns: the new objects of a type that may own memory. They are asked rarely if the heap is shared: that stops
    // all its threads. Throws: std::bad_alloc.
    [[nodiscard]] new_owners& new_of(std::size_t index, bool is_shared) {
        while (by_type_.size() <= index) {
            if (!by_type_.push(nullptr)) raise<std::bad_alloc>();
        }
        if (by_type_[index] == nullptr) by_type_[index] = new new_owners(is_shared ? 4096 : 256);
        return *by_type_[index];
    }

    // Returns: whether new objects of the type, if there is one of that index, are to be asked before there are others.
    [[nodiscard]] bool is_due(std::size_t index) noexcept {
        return index < by_type_.size() && by_type_[index] != nullptr && by_type_[index]->is_due();
    }

    // Effects: if they are, asks them, and sometimes marked ones.
    void ask_if_due(std::size_t index) noexcept {
        if (!is_due(index)) return;
        new_bytes_ -= by_type_[index]->bytes();
        new_bytes_ += by_type_[index]->ask();
        if (++asked_ % asks_of_marked == 0) marked.ask_again();
    }

    // Returns: what all objects own, as far as is known.
    [[nodiscard]] std::size_t bytes() const noexcept { return marked.bytes + new_bytes_ + told.total(); }

    // Returns: the part of it that belongs to objects from before the last collection.
    [[nodiscard]] std::size_t kept() const noexcept {
        return marked.bytes + detail::smaller(told.total(), told_before_);
    }

    // Returns: what was gained since the last collection.
    [[nodiscard]] std::size_t gained() const noexcept { return bytes() - detail::smaller(kept(), before_); }

    // Effects: before a collection marks.
    void begin(bool full) noexcept { full ? marked.clear() : marked.ask_again(); }

    // Effects: a marking cycle has reached all that lives on.
    void end_cycle() noexcept {
        marked.swap(reached);
        reached.clear();
    }

    // Effects: after a collection has marked; `complete`, if old objects may be dead. If it `promotes` it has marked
    // new objects without a look at them.
    template <class IsMarked>
    void end(bool complete, bool promotes, IsMarked is_marked) noexcept {
        told.remove_unless(complete, is_marked);
        for (new_owners* const each : by_type_) {
            if (each != nullptr) each->clear();
        }
        if (promotes) marked.bytes += new_bytes_;
        new_bytes_ = 0;
        told_before_ = told.total();
        before_ = bytes();
    }

private:
    static constexpr std::size_t asks_of_marked = 16;

    growing_list<new_owners*> by_type_;  // by the index of the type; owns them
    std::size_t new_bytes_ = 0;
    std::size_t before_ = 0;  // the bytes after the last collection
    std::size_t told_before_ = 0;
    std::size_t asked_ = 0;
};

}  // namespace freehold::detail
