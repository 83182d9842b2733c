#pragma once
// What an owners_report has, from the owners that were found in the pool.

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../owners.hpp"
#include "graph_cycles.hpp"
#include "pool_owners.hpp"

namespace freehold::inline v0_2 {

namespace detail {

[[nodiscard]] inline std::size_t bytes_of(const pool_owners& pool, const pool_owners::object& object) noexcept {
    const bool is_separate = pool.kind_of(object).contents == 'p' && object.owners != 0;
    return object.room + (is_separate ? object.bytes : 0);
}

[[nodiscard]] inline std::string place_of(const pool_owners::handle& handle) {
    const bool is_in_block = (handle.place & pool_owners::in_block) != 0;
    return (is_in_block ? "block +" : "+") + std::to_string(handle.place & ~pool_owners::in_block);
}

inline void add_types(const pool_owners& pool, owners_report& report) {
    std::map<std::string, owners_report::type> types;
    for (std::size_t i = 0; i < pool.size(); ++i) {
        const pool_owners::object& each = pool.objects()[i];
        owners_report::type& type = types[pool.kind_of(each).type];
        const std::size_t bytes = detail::bytes_of(pool, each);
        const bool is_expired = each.owners == 0;
        ++type.objects;
        ++type.grades[is_expired ? "expired" : pool.is_held(i) ? "held" : "leaked"];
        type.bytes += bytes;
        type.weak += static_cast<std::size_t>(each.weak);
        if (is_expired) type.expired_bytes += bytes;
        if (!pool.is_held(i)) type.leaked_bytes += bytes;
        if (each.owners == LONG_MAX) continue;  // immortal
        type.owners += static_cast<std::size_t>(each.owners);
        report.unseen += static_cast<std::size_t>(pool.unseen(i));
    }
    for (auto& [name, type] : types) {
        type.name = name;
        report.owners += type.owners;
        report.types.push_back(std::move(type));
    }
    std::ranges::sort(report.types, std::ranges::greater(), &owners_report::type::bytes);
}

using alike_leaks =
    std::map<std::pair<std::map<std::string, std::size_t>, std::map<std::string, std::size_t>>, owners_report::leak>;

// Effects: adds the object's group and what is behind it, to those that are alike.
inline void add_leak(const pool_owners& pool, graph_cycles<pool_owners>& groups, std::size_t first,
                     std::vector<bool>& is_told, alike_leaks& leaks) {
    const auto circle = groups.circle_through(first);
    if (circle.empty()) return;  // it is behind a cycle
    owners_report::leak found;
    std::vector<std::size_t> waiting{first};
    is_told[first] = true;
    for (std::size_t next = 0; next < waiting.size(); ++next) {
        const std::size_t at = waiting[next];
        const pool_owners::object& object = pool.objects()[at];
        const bool is_in_cycle = groups.group_of(at) == groups.group_of(first);
        ++(is_in_cycle ? found.types : found.behind)[pool.kind_of(object).type];
        found.bytes += detail::bytes_of(pool, object);
        for (std::size_t k = 0; k < pool.degree(at); ++k) {
            const std::size_t to = pool.target(at, k);
            if (pool.is_held(to) || is_told[to]) continue;
            is_told[to] = true;
            waiting.push_back(to);
        }
    }
    owners_report::leak& told = leaks[{found.types, found.behind}];
    for (const auto& edge : circle) {
        const pool_owners::object& object = pool.objects()[edge.from];
        if (told.count == 0) {
            told.cycle.push_back(
                {pool.kind_of(object).type, detail::place_of(pool.owned(edge.from, edge.place)), object.begin});
        }
    }
    for (const auto& [type, number] : found.types) told.types[type] += number;
    for (const auto& [type, number] : found.behind) told.behind[type] += number;
    told.bytes += found.bytes;
    ++told.count;
}

}  // namespace detail

[[nodiscard]] inline owners_report find_owners() {
    const detail::pool_owners pool;
    owners_report report;
    detail::add_types(pool, report);
    for (const auto& each : pool.handles()) report.unknown += each.is == detail::pool_owners::role::unknown ? 1 : 0;
    detail::graph_cycles groups(pool);
    std::vector<bool> is_told(pool.size());
    detail::alike_leaks leaks;
    for (std::size_t i = 0; i < pool.size(); ++i) {
        if (!pool.is_held(i) && !is_told[i]) detail::add_leak(pool, groups, i, is_told, leaks);
    }
    for (auto& [types, leak] : leaks) report.leaks.push_back(std::move(leak));
    std::ranges::sort(report.leaks, std::ranges::greater(), &owners_report::leak::bytes);
    return report;
}

[[nodiscard]] inline std::vector<owners_report::owner> find_owners_of(const volatile void* address) {
    using detail::pool_owners;
    constexpr const char* roles[] = {"owner or weak", "owner", "weak"};
    const pool_owners pool;
    std::vector<owners_report::owner> found;
    for (const auto& each : pool.handles()) {
        const pool_owners::object& to = pool.objects()[each.to];
        const auto distance = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(to.begin);
        if (distance >= (std::max)(to.bytes, std::size_t{1})) continue;
        std::string where = "another block of the pool";
        if (each.from != pool_owners::nobody) {
            where = std::string(pool.kind_of(pool.objects()[each.from]).type) + " " + detail::place_of(each);
        }
        found.push_back({each.at, roles[static_cast<std::size_t>(each.is)], std::move(where)});
    }
    return found;
}

}  // namespace freehold
