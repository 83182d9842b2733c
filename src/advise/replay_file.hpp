#pragma once
// Writes the steps of a replay.

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <system_error>
#include <vector>

#include "steps.hpp"

namespace advise {

class replay_writer {
public:
    explicit replay_writer(const char* path) : file_(path != nullptr ? std::fopen(path, "wb") : nullptr) {
        if (path != nullptr && file_ == nullptr)
            throw std::system_error(errno, std::generic_category(), "the replay cannot be written");
    }

    void add(const step& each) {
        if (file_ == nullptr) return;
        steps_.push_back(each);
        if (steps_.size() == most) flush();
    }

    void finish() {
        if (file_ == nullptr) return;
        flush();
        if (std::fclose(file_) != 0)
            throw std::system_error(errno, std::generic_category(), "the replay cannot be written");
    }

private:
    static constexpr std::size_t most = 1 << 15;

    void flush() {
        if (std::fwrite(steps_.data(), sizeof(step), steps_.size(), file_) != steps_.size())
            throw std::system_error(errno, std::generic_category(), "the replay cannot be written");
        steps_.clear();
    }

    std::FILE* file_;
    std::vector<step> steps_;
};

}
