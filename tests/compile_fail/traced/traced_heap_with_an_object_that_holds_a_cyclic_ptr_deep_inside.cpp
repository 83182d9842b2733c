// expect: does not follow the cyclic_ptr in this object
// at most 49 lines: clang names each header and each template on the way to the member.
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/traced/traced_heap.hpp>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

struct person;

using deep = std::map<
    int,
    std::optional<std::variant<
        int, std::tuple<std::array<std::pair<int, std::unique_ptr<std::vector<freehold::cyclic_ptr<person>>>>, 2>>>>>;

struct person {
    deep held;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }
