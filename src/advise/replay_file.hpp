// What replay.cpp does again: the calls of one recording, with a small number for each block.

#pragma once

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "../recorder/kinds.hpp"

namespace advise {

struct step {
    std::uint32_t block;
    std::uint32_t size;  // at most 4 GiB
    recorder::kind what;
    std::uint8_t alignment;  // its logarithm
    std::uint8_t is_in_arena;
    std::uint8_t nothing;
};
static_assert(sizeof(step) == 12);

class replay_writer {
public:
    explicit replay_writer(const char* path) : file_(path != nullptr ? std::fopen(path, "wb") : nullptr) {
        if (path != nullptr && file_ == nullptr) throw std::runtime_error("the replay cannot be written");
    }

    void add(const step& each) {
        if (file_ == nullptr) return;
        steps_.push_back(each);
        if (steps_.size() == most) flush();
    }

    void finish() {
        if (file_ == nullptr) return;
        flush();
        if (std::fclose(file_) != 0) throw std::runtime_error("the replay cannot be written");
    }

private:
    static constexpr std::size_t most = 1 << 15;

    void flush() {
        if (std::fwrite(steps_.data(), sizeof(step), steps_.size(), file_) != steps_.size())
            throw std::runtime_error("the replay cannot be written");
        steps_.clear();
    }

    std::FILE* file_;
    std::vector<step> steps_;
};

}
