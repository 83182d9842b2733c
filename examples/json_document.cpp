// A JSON document in one arena: its lists, objects and strings are freed together.
// The arena is a monotonic_resource: an allocation advances a pointer, and the document takes few large chunks.
// Look at `document`: it never destroys its root. Freeing a document of any size visits none of its values.

#include <freehold/memory/containers.hpp>
#include <freehold/memory/counting_resource.hpp>
#include <freehold/memory/monotonic_resource.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <memory_resource>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

namespace {

using arena = freehold::monotonic_resource;
struct value;
using text = freehold::containers::string<arena>;
using list = freehold::containers::vector<value, arena>;
using object = freehold::containers::vector<std::pair<text, value>, arena>;

struct value {
    std::variant<long, text, list, object> is;
};

// Parses whole numbers, strings without escapes, lists and objects.
struct parser {
    std::string_view rest;
    arena& memory;

    value parse(int levels = 100) {  // bounded: input of brackets alone would overflow the stack
        if (levels == 0) throw std::invalid_argument("nested too deeply");
        if (take('"')) return {parse_text()};
        if (take('[')) {
            list items(&memory);
            parse_each(']', [&] { items.push_back(parse(levels - 1)); });
            return {std::move(items)};
        }
        if (take('{')) {
            object members(&memory);
            parse_each('}', [&] {
                expect('"');
                text name = parse_text();
                expect(':');
                members.emplace_back(std::move(name), parse(levels - 1));
            });
            return {std::move(members)};
        }
        long number = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        if (error != std::errc()) throw std::invalid_argument("a value is missing");
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        return {number};
    }

    bool take(char token) {
        rest.remove_prefix(std::min(rest.find_first_not_of(" \n"), rest.size()));
        const bool found = rest.starts_with(token);
        rest.remove_prefix(found ? 1 : 0);
        return found;
    }

    void expect(char token) {
        if (!take(token)) throw std::invalid_argument("a token is missing");
    }

    void parse_each(char closing, auto parse_item) {
        if (take(closing)) return;
        do parse_item();
        while (take(','));
        expect(closing);
    }

    text parse_text() {
        const std::string_view characters = rest.substr(0, rest.find('"'));
        rest.remove_prefix(characters.size());
        expect('"');
        return text(characters, &memory);
    }
};

class document {
public:
    document(std::string_view json, std::pmr::memory_resource* upstream)
        : memory_(upstream), root_(new(memory_.allocate(sizeof(value))) value(parser{json, memory_}.parse())) {}

    [[nodiscard]] const value& root() const { return *root_; }

private:
    arena memory_;
    const value* root_;
};

}  // namespace

int main() {
    freehold::counting_resource system;
    bool right = false;
    {
        const document orders(R"([{"item": "a kettle of copper", "pieces": 2}, {"item": "tea", "pieces": 12}])",
                              &system);
        const list& all = std::get<list>(orders.root().is);
        const auto& [name, item] = std::get<object>(all.at(0).is).at(0);
        right = all.size() == 2 && name == "item" && std::get<text>(item.is) == "a kettle of copper";
    }
    std::printf("%zu allocations, %td blocks left\n", system.counts().allocations, system.counts().live_blocks());
    return right && system.counts().allocations <= 2 && system.counts().live_blocks() == 0 ? 0 : 1;
}
