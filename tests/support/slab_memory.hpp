#pragma once
// slab_memory: memory for slabs that are in no pool, all freed in the end. What is fresh is not zero.

#include <freehold/core/annotate.hpp>
#include <freehold/memory/detail/slab.hpp>
#include <freehold/memory/detail/slab_cache.hpp>

#include <cstddef>
#include <cstring>
#include <map>
#include <new>

namespace support {

class slab_memory {
public:
    slab_memory() = default;
    slab_memory(const slab_memory&) = delete;
    slab_memory& operator=(const slab_memory&) = delete;

    ~slab_memory() {
        while (!live_.empty()) free(live_.begin()->first);
    }

    [[nodiscard]] std::byte* make(std::size_t bytes) {
        auto* const begin = static_cast<std::byte*>(::operator new(bytes, boundary));
        std::memset(begin, 0xA5, bytes);
        live_[begin] = bytes;
        return begin;
    }

    void free(std::byte* begin) {
        freehold::detail::annotate_allocated(begin, live_.at(begin));
        live_.erase(begin);
        ::operator delete(begin, boundary);
    }

    // Returns: a slab as slab_cache has it that was never in use.
    [[nodiscard]] freehold::detail::slab* make_slab() {
        auto* const made = freehold::detail::slab::of(make(freehold::detail::slab_bytes));
        made->block_class = freehold::detail::slab_cache::no_class;
        made->is_sampled = 0;
        return made;
    }

private:
    static constexpr std::align_val_t boundary{freehold::detail::slab_bytes};

    std::map<std::byte*, std::size_t> live_;
};

}  // namespace support
