#pragma once
// logging_resource: writes each call as a line of CSV.
//
//     std::ofstream log("parsing.csv");
//     freehold::logging_resource memory(log);
//
//     operation,block,bytes,alignment
//     allocate,0x55d0c4b2aeb0,24,8
//     fail,,1000000,16
//     deallocate,0x55d0c4b2aeb0,24,8
//
// The format is RFC 4180, except that lines end with "\n". The lines are in the order of the calls, so that a block is
// the one that was allocated last at its address. A `fail` is a call of allocate that threw.
//
// Thread safety: one thread at a time; behind a synchronized_resource, any thread.
// Exceptions: allocate passes on what the upstream throws. After a write error is_complete() returns false.
// Complexity: constant. Cost: no header in a block; a line of text, which the stream may buffer.

#include <cstddef>
#include <memory_resource>
#include <ostream>

#include "detail/chained_resource.hpp"

namespace freehold::inline v0_2 {

class logging_resource final : public detail::chained_resource<logging_resource> {
public:
    // Effects: writes the names of the columns to the stream's buffer, which must outlive this resource.
    explicit logging_resource(std::ostream& log, std::pmr::memory_resource* upstream = std::pmr::get_default_resource())
        : chained_resource(upstream), log_(log.rdbuf()) {
        log_.imbue(std::locale::classic());
        log_ << "operation,block,bytes,alignment\n";
    }

    // Returns: what upstream_resource()->allocate(bytes, alignment) does.
    // Throws: what the upstream throws.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        allocation_line line{*this, bytes, alignment};
        line.block = upstream_->allocate(bytes, alignment);
        return line.block;
    }

    // As std::pmr::memory_resource::deallocate.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        write("deallocate", block, bytes, alignment);  // before its address can be that of another
        upstream_->deallocate(block, bytes, alignment);
    }

    // Returns: whether all lines were written.
    [[nodiscard]] bool is_complete() const noexcept { return log_.good(); }

private:
    // Its destructor writes the line, also after an exception of the upstream.
    struct allocation_line {
        logging_resource& resource;
        std::size_t bytes = 0;
        std::size_t alignment = 0;
        void* block = nullptr;

        ~allocation_line() { resource.write(block != nullptr ? "allocate" : "fail", block, bytes, alignment); }
    };

    void write(const char* operation, const void* block, std::size_t bytes, std::size_t alignment) noexcept {
        log_ << operation << ',';
        if (block != nullptr) log_ << block;
        log_ << ',' << bytes << ',' << alignment << '\n';
    }

    std::ostream log_;  // on the same buffer, with its own format and without exceptions, which would leak a block
};

}  // namespace freehold
