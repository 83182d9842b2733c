#pragma once
// Reads the encodings of DWARF from bytes, and never past their end.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace recorder {

class reader {
public:
    reader() = default;
    reader(const std::uint8_t* begin, const std::uint8_t* end) : at_(begin), end_(end) {}

    bool is_good() const { return good_; }
    bool is_at_end() const { return at_ >= end_; }
    const std::uint8_t* at() const { return at_; }

    template <class T>
    T get() {
        T value{};
        if (static_cast<std::size_t>(end_ - at_) < sizeof(T)) return fail(), value;
        std::memcpy(&value, at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }

    std::uint64_t unsigned_number() {
        int shift = 0;
        return number(shift);
    }

    std::int64_t signed_number() {
        int shift = 0;
        const std::uint64_t value = number(shift);
        const bool is_negative = shift < 64 && (value >> (shift - 1) & 1) != 0;
        return static_cast<std::int64_t>(is_negative ? value | ~std::uint64_t{0} << shift : value);
    }

    // Returns a reader of the next bytes, and goes on behind them.
    reader part(std::uint64_t bytes) {
        if (static_cast<std::uint64_t>(end_ - at_) < bytes) return fail(), reader(end_, end_);
        at_ += bytes;
        return reader(at_ - bytes, at_);
    }

    // Reads an address in an encoding of .eh_frame (DW_EH_PE_*), without following it.
    std::uint64_t address(std::uint8_t encoding) {
        const auto place = reinterpret_cast<std::uint64_t>(at_);
        std::uint64_t value = 0;
        switch (encoding & 0x0f) {
            case 0x00:
            case 0x04:
            case 0x0c: value = get<std::uint64_t>(); break;
            case 0x03: value = get<std::uint32_t>(); break;
            case 0x0b: value = static_cast<std::uint64_t>(std::int64_t{get<std::int32_t>()}); break;
            default: fail();
        }
        const int relative = encoding & 0x70;
        if (relative == 0x10) return value + place;
        if (relative != 0) fail();
        return value;
    }

private:
    void fail() {
        good_ = false;
        at_ = end_;
    }

    // Returns the bits read, which are those below `shift`.
    std::uint64_t number(int& shift) {
        std::uint64_t value = 0;
        while (true) {
            const auto byte = get<std::uint8_t>();
            if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
            shift += 7;
            if ((byte & 0x80) == 0) return value;
        }
    }

    const std::uint8_t* at_ = nullptr;
    const std::uint8_t* end_ = nullptr;
    bool good_ = true;
};

}
