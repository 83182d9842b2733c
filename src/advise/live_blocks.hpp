#pragma once
// The blocks that live, by address, each with a number that is small.

#include <cstdint>
#include <vector>

namespace advise {

struct block {
    std::uint64_t size;
    std::uint64_t stands_for;  // blocks
    std::uint64_t birth;       // bytes that were allocated before it: only blocks of 0 bytes share one
    std::uint32_t site;
    std::uint32_t thread : 30;
    std::uint32_t where : 2;       // a way
    std::uint32_t older, younger;  // of the same thread; 0: none
};

// Open addressing, without tombstones: what follows a removed entry moves up.
class address_map {
public:
    void insert(std::uint64_t address, std::uint32_t number) {
        if ((count_ + 1) * 3 > keys_.size() * 2) grow();
        std::size_t at = start(address);
        while (keys_[at] != 0) at = (at + 1) & mask_;
        keys_[at] = address;
        numbers_[at] = number;
        ++count_;
    }

    // Removes an address and returns its number, or 0. The null pointer, which realloc may be given, has none.
    std::uint32_t take(std::uint64_t address) {
        if (address == 0) return 0;
        std::size_t at = start(address);
        while (keys_[at] != address) {
            if (keys_[at] == 0) return 0;
            at = (at + 1) & mask_;
        }
        const std::uint32_t found = numbers_[at];
        for (std::size_t next = (at + 1) & mask_; keys_[next] != 0; next = (next + 1) & mask_) {
            if (((next - start(keys_[next])) & mask_) < ((next - at) & mask_)) continue;
            keys_[at] = keys_[next];
            numbers_[at] = numbers_[next];
            at = next;
        }
        keys_[at] = 0;
        --count_;
        return found;
    }

private:
    std::size_t start(std::uint64_t address) const { return (address * 0x9e37'79b9'7f4a'7c15 >> 20) & mask_; }

    void grow() {
        const std::vector<std::uint64_t> keys = std::move(keys_);
        const std::vector<std::uint32_t> numbers = std::move(numbers_);
        keys_.assign(keys.size() * 2, 0);
        numbers_.assign(keys.size() * 2, 0);
        mask_ = keys_.size() - 1;
        count_ = 0;
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (keys[i] != 0) insert(keys[i], numbers[i]);
    }

    std::vector<std::uint64_t> keys_ = std::vector<std::uint64_t>(1024);
    std::vector<std::uint32_t> numbers_ = std::vector<std::uint32_t>(1024);
    std::size_t mask_ = 1023, count_ = 0;
};

// Blocks by number. The number of one that has died is used again.
class block_table {
public:
    std::uint32_t add() {
        if (free_.empty()) {
            blocks_.emplace_back();
            return static_cast<std::uint32_t>(blocks_.size() - 1);
        }
        const std::uint32_t number = free_.back();
        free_.pop_back();
        return number;
    }

    void remove(std::uint32_t number) { free_.push_back(number); }

    block& operator[](std::uint32_t number) { return blocks_[number]; }

    // Puts a block at the end of its thread's, of which `youngest` is the last.
    void link(std::uint32_t number, std::uint32_t& youngest) {
        blocks_[number].older = youngest;
        blocks_[number].younger = 0;
        if (youngest != 0) blocks_[youngest].younger = number;
        youngest = number;
    }

    // Returns whether the block was the youngest.
    bool unlink(std::uint32_t number, std::uint32_t& youngest) {
        const block& gone = blocks_[number];
        if (gone.older != 0) blocks_[gone.older].younger = gone.younger;
        if (gone.younger != 0) blocks_[gone.younger].older = gone.older;
        if (youngest != number) return false;
        youngest = gone.older;
        return true;
    }

private:
    std::vector<block> blocks_ = std::vector<block>(1);  // none has number 0
    std::vector<std::uint32_t> free_;
};

}
