#pragma once
// What a heap profile is written with: bytes to a file, and the messages of profile.proto, by hand.
//
// Thread safety: one thread at a time. Exceptions: none. Nothing is allocated.

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "../../core/config.hpp"
#include "../../core/platform/new_file.hpp"

namespace freehold::inline v0_2::detail {

// Collects the bytes, and writes them to the file in pieces.
class profile_output {
public:
    explicit profile_output(new_file& file) noexcept : file_(file) {}

    void put(const void* from, std::size_t bytes) noexcept {
        if (bytes > sizeof(buffer_) - used_) flush();
        if (bytes > sizeof(buffer_)) {
            is_good_ = is_good_ && file_.write(from, bytes);
            return;
        }
        std::memcpy(buffer_ + used_, from, bytes);
        used_ += bytes;
    }

    void put(const char* text) noexcept { put(text, std::strlen(text)); }

    // Effects: puts the number in decimal digits, or in hexadecimal ones.
    void put_decimal(std::uint64_t number) noexcept { print<20>("%" PRIu64, number); }
    void put_hexadecimal(std::uint64_t number) noexcept { print<16>("%" PRIx64, number); }

    // Returns: whether everything was written.
    [[nodiscard]] bool end() noexcept {
        flush();
        return is_good_;
    }

private:
    template <std::size_t digits>
    void print(const char* format, std::uint64_t number) noexcept {
        char text[digits + 1];
        std::snprintf(text, sizeof(text), format, number);
        put(text);
    }

    void flush() noexcept {
        is_good_ = is_good_ && file_.write(buffer_, used_);
        used_ = 0;
    }

    new_file& file_;
    bool is_good_ = true;
    std::size_t used_ = 0;
    char buffer_[8192];
};

// A message of Protocol Buffers. A field has a number; the messages of profile.proto have numbers below 16.
class proto_message {
public:
    void add_number(unsigned field, std::uint64_t value) noexcept {
        put_varint(field << 3);
        put_varint(value);
    }

    // Requires: there is room.
    void add_numbers(unsigned field, const std::uint64_t* values, std::size_t count) noexcept {
        proto_message packed;
        for (std::size_t i = 0; i < count; ++i) packed.put_varint(values[i]);
        put_varint(field << 3 | with_length);
        put_varint(packed.size_);
        std::memcpy(bytes_ + size_, packed.bytes_, packed.size_);
        size_ += packed.size_;
    }

    // Effects: puts the fields to the output as fields of the outermost message.
    void put_contents_to(profile_output& output) const noexcept { output.put(bytes_, size_); }

    // Effects: puts the message to the output as a field of the outermost one, which has no end.
    void put_to(profile_output& output, unsigned field) const noexcept { put_bytes(output, field, bytes_, size_); }

    static void put_bytes(profile_output& output, unsigned field, const void* from, std::size_t bytes) noexcept {
        proto_message before;
        before.put_varint(field << 3 | with_length);
        before.put_varint(bytes);
        output.put(before.bytes_, before.size_);
        output.put(from, bytes);
    }

private:
    static constexpr unsigned with_length = 2;

    void put_varint(std::uint64_t value) noexcept {
        for (; value > 0x7F; value >>= 7) bytes_[size_++] = static_cast<unsigned char>(value | 0x80);
        bytes_[size_++] = static_cast<unsigned char>(value);
    }

    std::size_t size_ = 0;
    unsigned char bytes_[1024];  // the longest has the numbers of 64 locations
};

}  // namespace freehold::detail
