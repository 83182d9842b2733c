// expect: whose first member can be made from anything needs a member function trace
#include <freehold/traced/traced_heap.hpp>

#include <concepts>
#include <string_view>

struct name {
    name() = default;
    template <class Text>
        requires std::convertible_to<const Text&, std::string_view>
    explicit(false) name(const Text&) {}
};

template <>
inline constexpr bool freehold::is_untraced<name> = true;

struct entry {
    name first;
    freehold::traced_ptr<entry> next;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<entry>()); }
