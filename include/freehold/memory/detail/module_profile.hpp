#pragma once
// module_profile: the heap profile of the program or the shared library that starts it.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "../../core/alignment.hpp"
#include "../../core/config.hpp"
#include "../../core/platform/new_file.hpp"
#include "../../core/platform/pages.hpp"
#include "../../core/platform/unwind.hpp"
#include "heap_samples.hpp"
#include "pages.hpp"
#include "profile_writer.hpp"
#include "sampled_stacks.hpp"

namespace freehold::inline v0_2::detail {

// Whether the calling thread is finding a site or writing a profile: what it allocates meanwhile is not sampled.
FREEHOLD_STATIC_TLS inline constinit thread_local bool is_in_profile = false;

class module_profile : public heap_samples {
public:
    enum class format : std::uint8_t { pprof, folded, folded_total };

    // Returns: the profile of this module, or null if it has none.
    [[nodiscard]] static module_profile* get() noexcept { return static_cast<module_profile*>(of_module()); }

    // Effects: from now on the module has a profile. Returns: whether it has one.
    [[nodiscard]] static bool start() noexcept {
        if (get() != nullptr) return true;
        if (!finds_calls) return false;
        constexpr std::size_t own = round_up(sizeof(module_profile), page_granule);
        constexpr std::size_t blocks = round_up(sizeof(table), page_granule);
        constexpr std::size_t places = round_up(usual_stack_limits::stacks * sizeof(void*), page_granule);
        constexpr std::size_t bytes = round_up(own + blocks + places + usual_stack_limits::bytes, page_granule);
        auto* const memory = static_cast<std::byte*>(map_pages(bytes, page_granule));
        if (memory == nullptr) return false;
        auto* const made =
            ::new (memory) module_profile(memory + own, memory + own + blocks, memory + own + blocks + places);
        if (!publish(*made)) unmap_pages(memory, bytes);
        return true;
    }

    // Effects: writes what is known to a new file. Returns: whether it was written.
    [[nodiscard]] bool write(const char* path, format as) noexcept {
        if (has_more_rights()) return false;
        const bool was_in_profile = is_in_profile;
        is_in_profile = true;
        new_file file(path);
        const bool is_written = file.is_open() && write(file, as);
        is_in_profile = was_in_profile;
        return is_written;
    }

    [[nodiscard]] const sampled_stacks& stacks() const noexcept { return stacks_; }

    // Effects: the next sampled allocation of any thread writes the profile. `path` must stay as it is until then.
    void write_soon(const char* path) noexcept {
        // release: pairs with the acquire of find_site_of_caller(), whose thread reads the path
        wanted_.store(path, std::memory_order_release);
    }

    // Returns: the format that the name of the file asks for.
    [[nodiscard]] static format format_of(const char* path) noexcept {
        constexpr const char* folded = ".folded";
        const std::size_t length = std::strlen(path);
        const bool is_folded =
            length >= std::strlen(folded) && std::strcmp(path + length - std::strlen(folded), folded) == 0;
        return is_folded ? format::folded : format::pprof;
    }

private:
    module_profile(std::byte* blocks, std::byte* places, std::byte* memory) noexcept
        : heap_samples(&find_site_of_caller, *reinterpret_cast<table*>(blocks)),
          stacks_(reinterpret_cast<std::atomic<sampled_stacks::stack*>*>(places), memory) {}

    [[nodiscard]] bool write(new_file& file, format as) const noexcept {
        if (as == format::pprof) return profile_writer::write_pprof(stacks_, untracked(), file);
        return profile_writer::write_folded(stacks_, as == format::folded_total, file);
    }

    [[nodiscard]] FREEHOLD_NOINLINE static sample_sums* find_site_of_caller(heap_samples& samples) noexcept {
        if (is_in_profile) return nullptr;
        is_in_profile = true;
        auto& profile = static_cast<module_profile&>(samples);
        // relaxed: a hint. acquire: pairs with the release of write_soon()
        if (profile.wanted_.load(std::memory_order_relaxed) != nullptr) [[unlikely]] {
            const char* const path = profile.wanted_.exchange(nullptr, std::memory_order_acquire);
            if (path != nullptr) static_cast<void>(profile.write(path, format_of(path)));
        }
        void* calls[sampled_stacks::most_calls];
        const int count = unwind_calls(calls, sampled_stacks::most_calls);
        sample_sums& site = profile.stacks_.find(calls, static_cast<std::size_t>(count));
        is_in_profile = false;
        return &site;
    }

    sampled_stacks stacks_;
    std::atomic<const char*> wanted_ = nullptr;
};

}  // namespace freehold::detail
