#pragma once
// locality: 65,536 numbers are in lists of `x` at the beginning, one for each subsystem, which has an arena of its own.
// Numbers have moved between random lists for long, so that memory from one arena would be scattered; then a list is
// read after the other (P0089).

#include <cstdint>
#include <deque>
#include <list>
#include <memory>

#include "../../harness/workload.hpp"
#include "blocks.hpp"

namespace lab::locality {

// libstdc++ allows no more than a thousand synchronized pools at once.
inline constexpr int lengths[] = {128, 4096};
inline constexpr int numbers = 65'536;

// Many arenas take long to make.
inline bool takes_no_longer(int length, int scale) { return 10 * (numbers / length) <= scale; }

template <class Strategy>
class program {
public:
    explicit program(int length) {
        for (int i = 0; i < numbers / length; ++i) {
            systems_.emplace_back();
        }
        for (int i = 0; i < numbers; ++i) {
            any().list.push_back(i);
        }
        for (int i = 0; i < 4 * numbers; ++i) {
            move_one();
        }
    }

    program(const program&) = delete;
    program& operator=(const program&) = delete;

    void move_one() {
        system& from = any();
        if (!from.list.empty()) {
            any().list.push_back(from.list.front());
            from.list.pop_front();
        }
    }

    // Reads the next list.
    void read_one() {
        std::uint64_t sum = 0;
        for (const int number : systems_[read_++ % systems_.size()].list) {
            sum = sum * 31 + static_cast<std::uint64_t>(number);
        }
        digest_ += sum;
    }

    std::uint64_t digest() const { return digest_; }

private:
    struct system {
        typename Strategy::arena arena;
        std::list<int, allocator_of<typename Strategy::arena, int>> list{arena.template allocator<int>()};
    };

    system& any() { return systems_[random_.below(systems_.size())]; }

    std::deque<system> systems_;
    random_numbers random_{89};
    std::size_t read_ = 0;
    std::uint64_t digest_ = 0;
};

template <class Strategy>
struct kept_program {
    static inline std::unique_ptr<program<Strategy>> it;

    static program<Strategy>& get(int length) {
        if (!it) {
            it = std::make_unique<program<Strategy>>(length);
        }
        return *it;
    }

    static void rest() { it.reset(); }

    static void clear() {
        it.reset();
        Strategy::give_back();
    }
};

template <class Strategy>
void read(int length, long iterations) {
    program<Strategy>& all = kept_program<Strategy>::get(length);
    for (; iterations > 0; --iterations) {
        all.read_one();
    }
}

template <class Strategy>
void move(int length, long iterations) {
    program<Strategy>& all = kept_program<Strategy>::get(length);
    for (iterations *= length; iterations > 0; --iterations) {
        all.move_one();
    }
}

template <class Strategy>
std::uint64_t checksum() {
    kept_program<Strategy>::clear();
    read<Strategy>(4096, numbers / 4096);
    const std::uint64_t digest = kept_program<Strategy>::get(4096).digest();
    kept_program<Strategy>::clear();
    return digest;
}

template <class Strategy>
inline constexpr series plot[] = {{.name = "read",
                                   .sizes = lengths,
                                   .work = read<Strategy>,
                                   .clear = kept_program<Strategy>::clear,
                                   .fits = takes_no_longer,
                                   .peak_iterations = 1,
                                   .rest = kept_program<Strategy>::rest},
                                  {.name = "moved",
                                   .sizes = lengths,
                                   .work = move<Strategy>,
                                   .clear = kept_program<Strategy>::clear,
                                   .fits = takes_no_longer}};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::locality
