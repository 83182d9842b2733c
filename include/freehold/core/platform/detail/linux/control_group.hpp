#pragma once
// Part of control_group.hpp, which has the contract.
//
// A process is in one group of each hierarchy of groups: version 2 has one, version 1 several, of which one limits
// memory; a machine may have both. /proc/self/cgroup names that group by its path in the hierarchy, and
// /proc/self/mountinfo says where a hierarchy is mounted, or the part of it below some group. In a container the path
// may be one of the host, or relative to the container's own group.

#include "../../../config.hpp"

#if defined(FREEHOLD_LINUX)

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "../../../alignment.hpp"
#include "../../control_group.hpp"

namespace freehold::inline v0_2::detail {

class control_groups {
public:
    explicit control_groups(std::string_view root) : root_(root) {
        const std::string groups = text_of(root_ + "/proc/self/cgroup");
        for (std::string_view left = groups; !left.empty();) {
            std::string_view group = take_until(left, '\n');  // number:controllers:path
            const std::string_view number = take_until(group, ':');
            const std::string_view controllers = take_until(group, ':');
            if (number == "0" && controllers.empty()) second_ = group;
            if (has_word(controllers, "memory")) first_ = group;
        }
    }

    // Returns: the least limit of the groups that the process is in.
    [[nodiscard]] std::size_t limit() const {
        std::size_t least = no_limit;
        const std::string mounts = text_of(root_ + "/proc/self/mountinfo");
        for (std::string_view left = mounts; !left.empty();) {
            std::string_view mount = take_until(left, '\n');
            for (int before = 0; before < 3; ++before) static_cast<void>(take_until(mount, ' '));
            const std::string top = unescaped(take_until(mount, ' '));
            const std::string place = root_ + unescaped(take_until(mount, ' '));
            while (!mount.empty() && take_until(mount, ' ') != "-") continue;
            const std::string_view kind = take_until(mount, ' ');
            static_cast<void>(take_until(mount, ' '));
            if (kind == "cgroup2") {
                // memory.high as well: a group beyond it is not killed, but its processes nearly stand still.
                least = least_above(second_, top, place, {"/memory.max", "/memory.high"}, least);
            } else if (kind == "cgroup" && has_word(mount, "memory")) {
                least = least_above(first_, top, place, {"/memory.limit_in_bytes"}, least);
            }
        }
        return least;
    }

private:
    struct limit_files {
        const char* hard;
        const char* soft = nullptr;
    };

    // Returns: the least of `least` and of the limits of the group and those above it, as far as the mount has them.
    // Its files are in `place`, and begin with the group `top`.
    [[nodiscard]] static std::size_t least_above(std::string_view group, std::string_view top, const std::string& place,
                                                 limit_files files, std::size_t least) {
        if (group.empty() || !is_below(group, top)) return least;
        for (;;) {
            const std::string folder = place + std::string(group);
            least = detail::smaller(least, limit_in(folder + files.hard));
            if (files.soft != nullptr) least = detail::smaller(least, limit_in(folder + files.soft));
            if (group.empty()) return least;
            group = group.substr(0, group.rfind('/'));
        }
    }

    // Returns: whether the group is `top` or below it. Effects: then makes its path relative to that.
    [[nodiscard]] static bool is_below(std::string_view& group, std::string_view top) noexcept {
        while (goes_up(top) && goes_up(group)) {
            top.remove_prefix(3);
            group.remove_prefix(3);
        }
        if (goes_up(group)) return false;  // it has left what the container was given
        if (goes_up(top)) {
            // The mount begins above the container's own group, whose path from there nobody tells.
            while (goes_up(top)) top.remove_prefix(3);
            group = "";
            return top.empty();
        }
        if (top == "/") top = "";
        if (group == "/") group = "";
        if (!group.starts_with(top)) return false;
        group.remove_prefix(top.size());
        return group.empty() || group.front() == '/';
    }

    // Returns: whether the path begins with a step to the group above.
    [[nodiscard]] static bool goes_up(std::string_view path) noexcept {
        return path.starts_with("/..") && (path.size() == 3 || path[3] == '/');
    }

    // Returns: the bytes that the file names, or no_limit: it may say "max", or in version 1 a number near 2^63.
    [[nodiscard]] static std::size_t limit_in(const std::string& file) {
        constexpr std::uint64_t unlimited = std::uint64_t{1} << 60;
        const std::string text = text_of(file);
        std::uint64_t bytes = 0;
        std::size_t digits = 0;
        for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
            if (bytes < unlimited) bytes = bytes * 10 + static_cast<std::uint64_t>(text[digits] - '0');
        }
        const bool is_number = digits != 0 && text.find_first_not_of('\n', digits) == std::string::npos;
        return is_number && bytes < unlimited && bytes < no_limit ? static_cast<std::size_t>(bytes) : no_limit;
    }

    // Returns: what the file holds; nothing if it cannot be read.
    [[nodiscard]] static std::string text_of(const std::string& file) {
        struct opened_file {
            std::FILE* stream;
            ~opened_file() {
                if (stream != nullptr) std::fclose(stream);
            }
        };
        const opened_file opened{std::fopen(file.c_str(), "re")};
        std::string text;
        if (opened.stream == nullptr) return text;
        char part[4096];
        while (const std::size_t bytes = std::fread(part, 1, sizeof(part), opened.stream)) text.append(part, bytes);
        return text;
    }

    // Returns: the text up to the separator. Effects: takes it out of `text`, with the separator.
    [[nodiscard]] static std::string_view take_until(std::string_view& text, char separator) noexcept {
        const std::string_view taken = text.substr(0, text.find(separator));
        text.remove_prefix(detail::smaller(taken.size() + 1, text.size()));
        return taken;
    }

    [[nodiscard]] static bool has_word(std::string_view words, std::string_view word) noexcept {
        while (!words.empty()) {
            if (take_until(words, ',') == word) return true;
        }
        return false;
    }

    // Returns: the text, in which the system has written a space, a tab, a newline and \ as \ and three octal digits.
    [[nodiscard]] static std::string unescaped(std::string_view text) {
        std::string result;
        for (std::size_t i = 0; i < text.size(); ++i) {
            char next = text[i];
            if (next == '\\' && text.size() - i > 3) {
                next = static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
                i += 3;
            }
            result += next;
        }
        return result;
    }

    std::string root_;
    std::string first_;   // the path of the process's group in version 1, which may be empty
    std::string second_;  // in version 2
};

[[nodiscard]] inline std::size_t limit_of_control_group(std::string_view root) { return control_groups(root).limit(); }

}  // namespace freehold::detail

#endif
