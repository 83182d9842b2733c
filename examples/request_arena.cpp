// A server whose requests allocate from an arena: after the first request, none takes memory from the system.
// The arena is a monotonic_resource: all that a request makes dies with the request. Each thread has an arena.
// Look at serve(): its scope frees the request's memory and keeps the chunks. Only the answer is copied out.

#include <freehold/memory/containers.hpp>
#include <freehold/memory/counting_resource.hpp>
#include <freehold/memory/monotonic_resource.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using arena = freehold::monotonic_resource;
using text = freehold::containers::string<arena>;  // names the resource: allocates without a virtual call
using parameters = freehold::containers::unordered_map<std::string_view, text, arena>;

// Returns: "a b" for "a+b".
text decode(std::string_view encoded, arena& memory) {
    text decoded(encoded, &memory);
    std::replace(decoded.begin(), decoded.end(), '+', ' ');
    return decoded;
}

// Parses "greet?name=Ada+Lovelace&language=en".
parameters parse(std::string_view request, arena& memory) {
    parameters parsed(&memory);
    for (std::size_t begin = request.find('?') + 1; begin < request.size();) {
        const std::string_view pair = request.substr(begin, request.find('&', begin) - begin);
        const std::size_t equals = pair.find('=');
        parsed.emplace(pair.substr(0, equals), decode(pair.substr(equals + 1), memory));
        begin += pair.size() + 1;
    }
    return parsed;
}

std::string serve(std::string_view request, arena& memory) {
    const arena::scope scope(memory);
    const parameters parsed = parse(request, memory);
    text answer(&memory);
    answer.append(parsed.at("language") == "fr" ? "Bonjour, " : "Hello, ");
    answer.append(parsed.at("name"));
    return std::string(answer);
}

// Returns: true if all answers were right and only the first request took memory from the system.
bool work() {
    freehold::counting_resource system;
    arena memory(&system);
    bool right = serve("greet?name=Marguerite+Yourcenar&language=fr", memory) == "Bonjour, Marguerite Yourcenar";
    const freehold::counting_resource::scope afterwards(system);
    for (int i = 0; i < 1000; ++i)
        right = right && serve("greet?name=Ada+Lovelace&language=en", memory) == "Hello, Ada Lovelace";
    return right && afterwards.counts().allocations == 0;
}

}  // namespace

int main() {
    constexpr std::size_t workers = 3;
    std::vector<char> right(workers);  // not bool, whose elements threads cannot write at once
    std::vector<std::thread> threads;
    for (char& result : right) threads.emplace_back([&result] { result = work(); });
    for (std::thread& thread : threads) thread.join();

    std::size_t succeeded = 0;
    for (const char result : right) succeeded += result ? 1 : 0;
    std::printf("%zu of %zu workers served 1000 requests without taking memory from the system\n", succeeded, workers);
    return succeeded == workers ? 0 : 1;
}
