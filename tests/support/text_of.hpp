#pragma once
// What a function writes into a file.

#include <cstdio>
#include <string>

namespace support {

// Returns: what write(file) writes.
template <class Write>
std::string text_of(Write write) {
    std::FILE* const file = std::tmpfile();
    write(file);
    std::rewind(file);
    std::string text;
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text.push_back(static_cast<char>(c));
    std::fclose(file);
    return text;
}

}  // namespace support
