#pragma once
// The programs of call frame instructions in .eh_frame, as far as compilers write them for x86-64: a CFA from rsp or
// rbp, and where rbp is saved.

#include <cstdint>

#include "reader.hpp"
#include "rules.hpp"

namespace recorder::eh_frame {

constexpr std::uint64_t rbp = 6, rsp = 7, return_address = 16;  // DWARF's numbers

struct common_entry {  // a CIE
    std::uint64_t code_alignment = 1;
    std::int64_t data_alignment = 1;
    std::uint8_t encoding = 0;
    bool has_augmentation = false;
    bool is_good = false;
    reader program;
};

// Interprets a program of call frame instructions as far as an address.
class interpreter {
public:
    explicit interpreter(const common_entry& common) : common_(common) {
        run(common.program, 0, ~std::uint64_t{0});
        initial_ = now_;
    }

    // Returns the rule at `address` of a function that starts at `start`.
    rule run_to(reader program, std::uint64_t start, std::uint64_t address) {
        run(program, start, address);
        if (!good_) return {};
        if (now_.is_outermost) return {.from = base::end};
        return now_.found;
    }

private:
    struct state {
        rule found;
        bool is_outermost = false;
    };
    static constexpr int most_remembered = 8;

    void run(reader in, std::uint64_t place, std::uint64_t address) {
        while (good_ && !in.is_at_end() && place <= address) {
            const auto code = in.get<std::uint8_t>();
            const std::uint64_t low = code & 0x3f;
            switch (code >> 6) {
                case 1: place += low * common_.code_alignment; break;                       // DW_CFA_advance_loc
                case 2: offset(low, in.unsigned_number() * common_.data_alignment); break;  // DW_CFA_offset
                case 3: restore(low); break;                                                // DW_CFA_restore
                default: other(code, in, place);
            }
            good_ = good_ && in.is_good();
        }
    }

    void other(std::uint8_t code, reader& in, std::uint64_t& place) {
        switch (code) {
            case 0x00: break;                                                                  // nop
            case 0x01: place = in.address(common_.encoding); break;                            // set_loc
            case 0x02: place += in.get<std::uint8_t>() * common_.code_alignment; break;        // advance_loc1
            case 0x03: place += in.get<std::uint16_t>() * common_.code_alignment; break;       // advance_loc2
            case 0x04: place += in.get<std::uint32_t>() * common_.code_alignment; break;       // advance_loc4
            case 0x05: offset_of(in, in.unsigned_number()); break;                             // offset_extended
            case 0x06: restore(in.unsigned_number()); break;                                   // restore_extended
            case 0x07: undefined(in.unsigned_number()); break;                                 // undefined
            case 0x08: same(in.unsigned_number()); break;                                      // same_value
            case 0x09: elsewhere(in.unsigned_number()), in.unsigned_number(); break;           // register
            case 0x0a: remember(); break;                                                      // remember_state
            case 0x0b: recall(); break;                                                        // restore_state
            case 0x0c: cfa(in.unsigned_number()), cfa_offset(in.unsigned_number()); break;     // def_cfa
            case 0x0d: cfa(in.unsigned_number()); break;                                       // def_cfa_register
            case 0x0e: cfa_offset(in.unsigned_number()); break;                                // def_cfa_offset
            case 0x0f: cfa_expression(in.part(in.unsigned_number())); break;                   // def_cfa_expression
            case 0x10: expression(in, in.unsigned_number()); break;                            // expression
            case 0x11: signed_offset_of(in, in.unsigned_number()); break;                      // offset_extended_sf
            case 0x12: cfa(in.unsigned_number()), signed_cfa_offset(in); break;                // def_cfa_sf
            case 0x13: signed_cfa_offset(in); break;                                           // def_cfa_offset_sf
            case 0x14: elsewhere(in.unsigned_number()), in.unsigned_number(); break;           // val_offset
            case 0x15: elsewhere(in.unsigned_number()), in.signed_number(); break;             // val_offset_sf
            case 0x16: elsewhere(in.unsigned_number()), in.part(in.unsigned_number()); break;  // val_expression
            case 0x2e: in.unsigned_number(); break;                                            // GNU_args_size
            default: good_ = false;
        }
    }

    void offset_of(reader& in, std::uint64_t what) { offset(what, in.unsigned_number() * common_.data_alignment); }
    void signed_offset_of(reader& in, std::uint64_t what) { offset(what, in.signed_number() * common_.data_alignment); }
    void signed_cfa_offset(reader& in) { cfa_offset(in.signed_number() * common_.data_alignment); }

    void offset(std::uint64_t what, std::int64_t bytes) {
        if (what == return_address && bytes != -8) good_ = false;
        if (what == return_address) now_.is_outermost = false;
        if (what == rbp) slot(saved::from_cfa, bytes);
    }

    void slot(saved where, std::int64_t bytes) {
        now_.found.where = where;
        now_.found.slot = static_cast<std::int16_t>(bytes / 8);
        if (now_.found.slot * std::int64_t{8} != bytes) good_ = false;
    }

    void restore(std::uint64_t what) {
        if (what == return_address) now_.is_outermost = initial_.is_outermost;
        if (what != rbp) return;
        now_.found.where = initial_.found.where;
        now_.found.slot = initial_.found.slot;
    }

    void undefined(std::uint64_t what) {
        if (what == return_address) now_.is_outermost = true;
        same(what);  // nobody asks for a register that nobody has kept
    }

    void same(std::uint64_t what) {
        if (what == rbp) now_.found.where = saved::not_at_all;
    }

    void elsewhere(std::uint64_t what) {
        if (what == rbp || what == return_address) good_ = false;
    }

    void remember() {
        if (remembered_ == most_remembered)
            good_ = false;
        else
            stack_[remembered_++] = now_;
    }

    void recall() {
        if (remembered_ == 0)
            good_ = false;
        else
            now_ = stack_[--remembered_];
    }

    void cfa(std::uint64_t what) {
        now_.found.from = what == rsp ? base::stack_pointer : what == rbp ? base::frame_pointer : base::none;
    }

    void cfa_offset(std::int64_t bytes) { now_.found.cfa = static_cast<std::int32_t>(bytes); }

    void cfa_expression(reader in) {
        const auto operation = in.get<std::uint8_t>();
        const std::int64_t bytes = in.signed_number();
        const bool is_known = operation == 0x76 && in.get<std::uint8_t>() == 0x06 && in.is_at_end();  // *(rbp + bytes)
        now_.found.from = is_known && in.is_good() ? base::behind_frame_pointer : base::none;
        cfa_offset(bytes);
    }

    void expression(reader& in, std::uint64_t what) {
        reader place = in.part(in.unsigned_number());
        if (what == rbp && place.get<std::uint8_t>() == 0x76)
            slot(saved::from_frame_pointer, place.signed_number());
        else
            elsewhere(what);
    }

    const common_entry& common_;
    state now_, initial_, stack_[most_remembered];
    int remembered_ = 0;
    bool good_ = true;
};

}
