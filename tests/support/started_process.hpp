#pragma once
// run_alone: runs a test in a process of its own, which is started, on Windows.

#include <process.h>
#include <windows.h>

#include <cstdint>
#include <string>

namespace support {

// Returns: why the test failed; nothing if it passed. It fails after 15 minutes.
inline std::string run_alone(const char* program, const std::string& test) {
    constexpr DWORD milliseconds = 15 * 60 * 1000;
    const std::string filter = "--gtest_filter=" + test;
    const std::intptr_t started = _spawnl(_P_NOWAIT, program, program, filter.c_str(), "--gtest_brief=1", nullptr);
    if (started == -1) return "it was not started";
    auto* const process = reinterpret_cast<HANDLE>(started);
    const bool is_in_time = WaitForSingleObject(process, milliseconds) == WAIT_OBJECT_0;
    if (!is_in_time) TerminateProcess(process, 1);
    DWORD code = 1;
    GetExitCodeProcess(process, &code);
    CloseHandle(process);
    if (code == 0) return {};
    return is_in_time ? "exit code " + std::to_string(code) : "it did not end";
}

}  // namespace support
