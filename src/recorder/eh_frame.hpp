#pragma once
// Makes the rule of a return address from .eh_frame, the tables by which exceptions unwind; stripped programs have
// them, too.

#include <cstdint>
#include <cstring>

#include "call_frames.hpp"

namespace recorder::eh_frame {

inline reader entry_at(const std::uint8_t* at) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    return bytes == 0xffff'ffff ? reader(at, at) : reader(at + 4, at + 4 + bytes);
}

inline common_entry common_of(const std::uint8_t* at) {
    common_entry found;
    reader in = entry_at(at);
    if (in.get<std::uint32_t>() != 0) return found;
    const auto version = in.get<std::uint8_t>();
    char letters[8] = {};
    for (unsigned i = 0; i < sizeof letters; ++i) {
        letters[i] = static_cast<char>(in.get<std::uint8_t>());
        if (letters[i] == 0) break;
    }
    found.code_alignment = in.unsigned_number();
    found.data_alignment = in.signed_number();
    const std::uint64_t column = version == 1 ? in.get<std::uint8_t>() : in.unsigned_number();
    if (letters[sizeof letters - 1] != 0 || (letters[0] != 'z' && letters[0] != 0)) return found;
    found.has_augmentation = letters[0] == 'z';
    if (found.has_augmentation) {
        reader values = in.part(in.unsigned_number());
        for (const char* each = letters + 1; *each != 0; ++each) {
            if (*each == 'R') found.encoding = values.get<std::uint8_t>();
            if (*each == 'L') values.get<std::uint8_t>();
            if (*each == 'P') values.address(values.get<std::uint8_t>() & 0x0f);
        }
        if (!values.is_good()) return found;
    }
    found.program = in;
    found.is_good = in.is_good() && column == return_address;
    return found;
}

// Returns the rule of a return address. `table` is .eh_frame_hdr: where functions start, sorted, with their entries.
inline rule rule_at(const std::uint8_t* table, std::uint64_t address) {
    constexpr std::uint8_t usual[] = {1, 0x1b, 0x03, 0x3b};  // the version and the encodings that linkers write
    struct row {
        std::int32_t function, entry;
    };
    if (table == nullptr || std::memcmp(table, usual, sizeof usual) != 0) return {};
    std::uint32_t count = 0;
    std::memcpy(&count, table + 8, sizeof count);
    const auto* const rows = reinterpret_cast<const row*>(table + 12);
    // A call may be the last instruction of a function: then its return address is in the next one.
    const std::uint64_t call = address - 1;
    const auto distance = static_cast<std::int64_t>(call - reinterpret_cast<std::uint64_t>(table));
    std::uint32_t low = 0, high = count;
    while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (rows[middle].function <= distance)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return {};
    const std::uint8_t* const entry = table + rows[low - 1].entry;
    reader in = entry_at(entry);
    const std::uint8_t* const place = in.at();
    const auto back = in.get<std::uint32_t>();
    if (!in.is_good() || back == 0) return {};
    const common_entry common = common_of(place - back);
    if (!common.is_good) return {};
    const std::uint64_t start = in.address(common.encoding);
    const std::uint64_t bytes = in.address(common.encoding & 0x0f);
    if (common.has_augmentation) in.part(in.unsigned_number());
    if (!in.is_good() || call < start || call - start >= bytes) return {};
    return interpreter(common).run_to(in, start, call);
}

}
