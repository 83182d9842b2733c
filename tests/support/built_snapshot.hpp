#pragma once
// Snapshots that no heap was needed for.

#include <freehold/diagnosis/heap_snapshot.hpp>

#include <cstddef>
#include <vector>

namespace support {

inline int places[100];
inline const int types[3] = {};

// Builds snapshots of objects at places[0], places[1] and so on, of the types "A", "B" and "C".
class built : public freehold::detail::snapshot_builder {
public:
    built() : snapshot_builder("test_heap") {}

    built& object(std::size_t type, const std::vector<std::size_t>& targets, std::size_t external_bytes = 0) {
        const char* const names[] = {"A", "B", "C"};
        snapshot_builder::object(&places[made_++], this->type(&types[type], names[type], 4), external_bytes);
        for (const std::size_t target : targets) edge(&places[target]);
        return *this;
    }

    built& root(std::size_t target, const char* kind = "root") {
        snapshot_builder::root(kind, &places[target]);
        return *this;
    }

private:
    std::size_t made_ = 0;
};

}  // namespace support
