#pragma once
// limit_from_cgroup: how much memory the process's control group allows, such as that of a container.
//
// Thread safety: any thread may call it. Exceptions: std::bad_alloc.
// Complexity: linear in the mounts and in the groups above the process. Cost: reads a few small files, on Linux.

#include <cstddef>
#include <string_view>

#include "../core/platform/control_group.hpp"

namespace freehold::inline v0_2 {

// Returns: the least limit, in bytes, of the process's control group and of the groups above it, in either version: of
// memory.max, memory.high and memory.limit_in_bytes. Without a limit, and on other systems than Linux, the greatest
// std::size_t, which limits neither a limiting_resource nor a traced_heap. A file that is missing, cannot be read or
// does not hold a number sets no limit. Tests pass as `root` a folder that stands for "/".
[[nodiscard]] inline std::size_t limit_from_cgroup(std::string_view root = "/") {
    return detail::limit_of_control_group(root);
}

}  // namespace freehold
