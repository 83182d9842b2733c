#pragma once
// The file of a recording: chunks of events, compressed, as lab/freehold_lab/advise/record/keeping.py writes them.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlfcn.h>

namespace advise {

struct frame {
    std::uint32_t process, thread, number, bytes, stored;
};

struct placed_frame {
    frame what;
    long at;  // in the file
};

// Decompresses by the library that this machine has, whose headers it may not have.
class codec {
public:
    explicit codec(const std::string& name) : is_zstd_(name == "zstd") {
        void* const library = dlopen(is_zstd_ ? "libzstd.so.1" : "libz.so.1", RTLD_NOW);
        function_ = library != nullptr ? dlsym(library, is_zstd_ ? "ZSTD_decompress" : "uncompress") : nullptr;
        if (function_ == nullptr) throw std::runtime_error("there is no library of " + name);
    }

    void decompress(std::vector<std::uint8_t>& to, const std::vector<std::uint8_t>& from) const {
        std::size_t bytes = to.size();
        if (is_zstd_) {
            using function = std::size_t (*)(void*, std::size_t, const void*, std::size_t);
            bytes = reinterpret_cast<function>(function_)(to.data(), to.size(), from.data(), from.size());
        } else {
            using function = int (*)(void*, unsigned long*, const void*, unsigned long);
            if (reinterpret_cast<function>(function_)(to.data(), &bytes, from.data(), from.size()) != 0) bytes = 0;
        }
        if (bytes != to.size()) throw std::runtime_error("a chunk cannot be decompressed");
    }

private:
    bool is_zstd_;
    void* function_;
};

class recording_file {
public:
    explicit recording_file(const char* path) : file_(std::fopen(path, "rb")) {
        char name[5] = {};
        if (file_ == nullptr || std::fread(name, 1, 4, file_) != 4 ||
            std::fread(&sampled_bytes_, sizeof sampled_bytes_, 1, file_) != 1)
            throw std::runtime_error("there is no recording");
        codec_ = new codec(name);
    }

    // One byte in so many was chosen; 0: all is recorded.
    std::uint64_t sampled_bytes() const { return sampled_bytes_; }

    // Returns the chunks of each thread of a process, in order. A last one that is not whole is left out.
    std::map<std::uint32_t, std::vector<placed_frame>> threads_of(std::uint32_t process) {
        std::map<std::uint32_t, std::vector<placed_frame>> found;
        std::fseek(file_, 0, SEEK_END);
        const long end = std::ftell(file_);
        long at = static_cast<long>(4 + sizeof sampled_bytes_);
        std::fseek(file_, at, SEEK_SET);
        for (frame each{}; std::fread(&each, sizeof each, 1, file_) == 1; std::fseek(file_, at, SEEK_SET)) {
            at += static_cast<long>(sizeof each);
            if (at + static_cast<long>(each.stored) > end) break;
            if (each.process == process) found[each.thread].push_back({each, at});
            at += each.stored;
        }
        for (auto& [thread, frames] : found)
            std::sort(frames.begin(), frames.end(),
                      [](const placed_frame& a, const placed_frame& b) { return a.what.number < b.what.number; });
        return found;
    }

    void read(const placed_frame& frame, std::vector<std::uint8_t>& to) {
        stored_.resize(frame.what.stored);
        std::fseek(file_, frame.at, SEEK_SET);
        if (std::fread(stored_.data(), 1, stored_.size(), file_) != stored_.size())
            throw std::runtime_error("the recording cannot be read");
        to.resize(frame.what.bytes);
        codec_->decompress(to, stored_);
    }

private:
    std::FILE* file_;
    codec* codec_ = nullptr;
    std::uint64_t sampled_bytes_ = 0;
    std::vector<std::uint8_t> stored_;
};

}
