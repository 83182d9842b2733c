#pragma once
// Writes the sites of a heap profile to a file, as pprof reads them or as folded stacks.
//
// Thread safety: any thread may call it while others allocate. Exceptions: none. Cost: pages of the system meanwhile.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>

#include "../../core/alignment.hpp"
#include "../../core/config.hpp"
#include "../../core/platform/code_modules.hpp"
#include "../../core/platform/new_file.hpp"
#include "../../core/platform/pages.hpp"
#include "heap_samples.hpp"
#include "profile_output.hpp"
#include "sample_countdown.hpp"
#include "sampled_stacks.hpp"

namespace freehold::inline v0_2::detail {

class profile_writer {
public:
    // Effects: writes the sites to the file. Returns: whether everything was written.

    [[nodiscard]] static bool write_pprof(const sampled_stacks& stacks, std::uint64_t untracked,
                                          new_file& file) noexcept {
        profile_writer writer(stacks, file, true);
        return writer.is_possible() && writer.write_pprof(stacks, untracked);
    }

    // Each line is a stack, the outermost call first, and the bytes in use, or all that were allocated.
    [[nodiscard]] static bool write_folded(const sampled_stacks& stacks, bool is_total, new_file& file) noexcept {
        profile_writer writer(stacks, file, false);
        return writer.is_possible() && writer.write_folded(stacks, is_total);
    }

    profile_writer(const profile_writer&) = delete;
    profile_writer& operator=(const profile_writer&) = delete;

private:
    using sums = sample_sums::sums;
    using stack = sampled_stacks::stack;

    // Strings of the profile by their numbers.
    enum word : std::uint64_t {
        none,
        alloc_objects,
        count,
        alloc_space,
        bytes,
        inuse_objects,
        inuse_space,
        space,
        own_functions,
        lost_stacks,
        lost_blocks,
        first_of_modules,
    };

    struct module {
        std::uintptr_t begin;
        std::uintptr_t end;
    };

    struct location {
        std::uintptr_t address;  // 0 in an empty place
        std::uint64_t number;
    };

    // In pages of its own: the caller's stack may be small.
    struct memory {
        explicit memory(new_file& file) noexcept : output(file) {}

        profile_output output;
        std::size_t modules_known = 0;
        module modules[1024];  // the others' addresses belong to no module
    };

    profile_writer(const sampled_stacks& stacks, new_file& file, bool has_locations) noexcept {
        std::size_t places = 2;
        if (has_locations) {
            stacks.visit([this](const stack& each) { most_calls_ += each.count; });
            while (places < 2 * most_calls_) places *= 2;
        }
        const std::size_t own = round_up(sizeof(memory), alignof(location));
        bytes_ = round_up(own + places * sizeof(location), page_granule);
        pages_ = detail::allocate_pages(bytes_);
        if (pages_ == nullptr) return;
        memory_ = ::new (pages_) memory(file);
        locations_ = reinterpret_cast<location*>(static_cast<std::byte*>(pages_) + own);  // zeroed, which is empty
        mask_ = places - 1;
    }

    ~profile_writer() {
        if (pages_ != nullptr) detail::free_pages(pages_, bytes_);
    }

    [[nodiscard]] bool is_possible() const noexcept { return pages_ != nullptr; }

    // Fields of profile.proto: https://github.com/google/pprof/blob/main/proto/profile.proto

    [[nodiscard]] bool write_pprof(const sampled_stacks& stacks, std::uint64_t untracked) noexcept {
        // pprof leaves these out, and what they call.
        constexpr const char* calls_of_library =
            "malloc|calloc|realloc|reallocarray|(posix_)?memalign|aligned_alloc|valloc|pvalloc|own_(aligned_)?new"
            "|operator new.*|freehold::.*(slab_pool|process_heap|process_large|process_pool|concurrent_pool_resource"
            "|basic_resource|small_block_(pool|allocator)|module_profile|new_with_handler).*";
        constexpr const char* words[first_of_modules] = {
            "",
            "alloc_objects",
            "count",
            "alloc_space",
            "bytes",
            "inuse_objects",
            "inuse_space",
            "space",
            calls_of_library,
            "(calls that the profile had no room for)",
            "live samples that the profile had no room for count as freed"};
        for (const char* const each : words) put_string(each);
        put_types();
        put_modules();
        put_lost(stacks, untracked);
        stacks.visit([this](const stack& each) { put_stack(each); });
        return memory_->output.end();
    }

    void put_string(const char* text) noexcept {
        proto_message::put_bytes(memory_->output, 6, text, std::strlen(text));
    }

    void put(const proto_message& message, unsigned field) noexcept { message.put_to(memory_->output, field); }

    void put_types() noexcept {
        constexpr word types[][2] = {
            {alloc_objects, count}, {alloc_space, bytes}, {inuse_objects, count}, {inuse_space, bytes}};
        for (const auto& each : types) put(type_of(each[0], each[1]), 1);
        put(type_of(space, bytes), 11);
        put_number(12, sample_countdown::mean);
        put_number(7, own_functions);
        put_number(14, inuse_space);
    }

    [[nodiscard]] static proto_message type_of(word kind, word unit) noexcept {
        proto_message type;
        type.add_number(1, kind);
        type.add_number(2, unit);
        return type;
    }

    // Effects: puts a number of the outermost message.
    void put_number(unsigned field, std::uint64_t value) noexcept {
        proto_message number;
        number.add_number(field, value);
        number.put_contents_to(memory_->output);
    }

    void put_modules() noexcept {
        const auto put_one = [](void* context, const code_range& range) {
            auto& writer = *static_cast<profile_writer*>(context);
            memory& own = *writer.memory_;
            if (own.modules_known == sizeof(own.modules) / sizeof(module)) return;
            const std::uint64_t file = first_of_modules + 2 * own.modules_known;
            own.modules[own.modules_known++] = {range.begin, range.end};
            writer.put_string(range.file);
            char build_id[2 * 64 + 1] = {};
            for (std::size_t i = 0; i < range.build_id_bytes && i < 64; ++i) {
                std::snprintf(build_id + 2 * i, 3, "%02x", unsigned{range.build_id[i]});
            }
            writer.put_string(build_id);
            proto_message mapping;
            mapping.add_number(1, own.modules_known);
            mapping.add_number(2, range.begin);
            mapping.add_number(3, range.end);
            mapping.add_number(4, range.offset);
            mapping.add_number(5, file);
            mapping.add_number(6, file + 1);
            writer.put(mapping, 3);
        };
        visit_code(put_one, this);
    }

    // Effects: puts a sample of a function that stands for all stacks without room.
    void put_lost(const sampled_stacks& stacks, std::uint64_t untracked) noexcept {
        if (untracked != 0) put_number(13, lost_blocks);
        if (stacks.lost().allocated().bytes == 0) return;
        proto_message function;
        function.add_number(1, 1);
        function.add_number(2, lost_stacks);
        put(function, 5);
        constexpr std::uint64_t line[] = {1 << 3, 1};  // a message with the number of the function
        proto_message lost;
        lost.add_number(1, ++locations_known_);
        lost.add_numbers(4, line, 2);
        put(lost, 4);
        put_sample(&locations_known_, 1, stacks.lost());
    }

    void put_stack(const stack& each) noexcept {
        if (each.count > most_calls_) return;  // it has come since the places were counted
        most_calls_ -= each.count;
        std::uint64_t numbers[sampled_stacks::most_calls];
        for (std::uint32_t i = 0; i < each.count; ++i) {
            numbers[i] = location_of(reinterpret_cast<std::uintptr_t>(each.calls[i]) - 1);  // the call is before it
        }
        put_sample(numbers, each.count, each.samples);
    }

    void put_sample(const std::uint64_t* locations, std::size_t how_many, const sample_sums& of) noexcept {
        const sums freed = of.freed();  // before what is allocated
        const sums all = of.allocated();
        const std::uint64_t values[] = {objects(all.objects), all.bytes, objects(all.objects - freed.objects),
                                        all.bytes - freed.bytes};
        proto_message sample;
        sample.add_numbers(1, locations, how_many);
        sample.add_numbers(2, values, 4);
        put(sample, 2);
    }

    [[nodiscard]] static std::uint64_t objects(std::uint64_t parts) noexcept {
        return (parts + sample_weight::one_object / 2) / sample_weight::one_object;
    }

    // Returns: the number of the location, which is put first if it is new.
    [[nodiscard]] std::uint64_t location_of(std::uintptr_t address) noexcept {
        std::size_t place = static_cast<std::size_t>(address * 0x9E3779B97F4A7C15U >> 32) & mask_;
        while (locations_[place].address != 0 && locations_[place].address != address) place = (place + 1) & mask_;
        location& found = locations_[place];
        if (found.address == 0) {
            found = {address, ++locations_known_};
            proto_message added;
            added.add_number(1, found.number);
            for (std::size_t i = 0; i < memory_->modules_known; ++i) {
                const module& each = memory_->modules[i];
                if (address >= each.begin && address < each.end) added.add_number(2, i + 1);
            }
            added.add_number(3, address);
            put(added, 4);
        }
        return found.number;
    }

    [[nodiscard]] bool write_folded(const sampled_stacks& stacks, bool is_total) noexcept {
        profile_output& output = memory_->output;
        const auto value_of = [is_total](const sample_sums& of) {
            const sums freed = of.freed();
            return is_total ? of.allocated().bytes : of.allocated().bytes - freed.bytes;
        };
        stacks.visit([&](const stack& each) {
            const std::uint64_t value = value_of(each.samples);
            if (value == 0 || each.count == 0) return;
            for (std::uint32_t i = each.count; i-- != 0;) {
                put_name(static_cast<const char*>(each.calls[i]) - 1);
                output.put(i != 0 ? ";" : " ");
            }
            output.put_decimal(value);
            output.put("\n");
        });
        if (const std::uint64_t lost = value_of(stacks.lost())) {
            output.put("(calls that the profile had no room for) ");
            output.put_decimal(lost);
            output.put("\n");
        }
        return output.end();
    }

    void put_name(const void* address) noexcept {
        const code_place place = place_of_code(address);
        if (place.function != nullptr) return memory_->output.put(place.function);
        if (place.file != nullptr) {
            const char* const name = std::strrchr(place.file, '/');
            memory_->output.put(name != nullptr ? name + 1 : place.file);
        }
        memory_->output.put("+0x");
        memory_->output.put_hexadecimal(place.offset);
    }

    std::size_t most_calls_ = 0;  // of the stacks that are not written yet
    std::uint64_t locations_known_ = 0;
    std::size_t bytes_ = 0;
    void* pages_ = nullptr;
    memory* memory_ = nullptr;
    location* locations_ = nullptr;
    std::size_t mask_ = 0;
};

}  // namespace freehold::detail
