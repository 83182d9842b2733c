#pragma once
// What stands before an object of a heap that threads share: the owners that others have counted, and the header.

#include <cstddef>
#include <cstdint>

#include "cyclic_header.hpp"
#include "shared_owners.hpp"

namespace freehold::detail {

template <class Threading>
[[nodiscard]] auto& owners_beside(cyclic_header& header) noexcept {
    using shared_owners = basic_shared_owners<Threading::template atomic>;
    return *reinterpret_cast<shared_owners*>(reinterpret_cast<std::byte*>(&header) - sizeof(shared_owners));
}

// Effects: counts in the header what others have counted, and clears flags beside it. Returns: what they had counted.
// Requires: the header's session calls, or is stopped.
template <class Threading>
auto settle(cyclic_header& header, std::uint64_t cleared) noexcept {
    const auto taken = detail::owners_beside<Threading>(header).take(cleared);
    header.add_owners(taken.owners);
    return taken;
}

}  // namespace freehold::detail
