// Compiled alone: includes <windows.h>, which defines macros.
//
// A program may include <windows.h> before all of Freehold: no name of Freehold is one of its macros, and what
// core/platform/detail/windows/declarations.hpp declares is what it declares, or this does not compile.

#if defined(_WIN32)
#include <windows.h>

#include <psapi.h>
#endif

#include <freehold/freehold.hpp>

#include <gtest/gtest.h>

#if defined(_WIN32)

#include <cstddef>
#include <type_traits>

using namespace freehold::detail;

template <auto Theirs, auto Ours>
constexpr bool is_same = std::is_same_v<decltype(Theirs), decltype(Ours)>;

static_assert(is_same<&::VirtualAlloc, &freehold::detail::VirtualAlloc>);
static_assert(is_same<&::VirtualFree, &freehold::detail::VirtualFree>);
static_assert(is_same<&::VirtualProtect, &freehold::detail::VirtualProtect>);
static_assert(is_same<&::VirtualQuery, &freehold::detail::VirtualQuery>);
static_assert(is_same<&::K32QueryWorkingSetEx, &freehold::detail::K32QueryWorkingSetEx>);
static_assert(is_same<&::CreateThread, &freehold::detail::CreateThread>);
static_assert(is_same<&::WaitForSingleObject, &freehold::detail::WaitForSingleObject>);
static_assert(is_same<&::CloseHandle, &freehold::detail::CloseHandle>);
static_assert(is_same<&::GetCurrentProcessId, &freehold::detail::GetCurrentProcessId>);
static_assert(is_same<&::GetCurrentThreadId, &freehold::detail::GetCurrentThreadId>);
static_assert(is_same<&::GetCurrentThreadStackLimits, &freehold::detail::GetCurrentThreadStackLimits>);
static_assert(is_same<&::SwitchToThread, &freehold::detail::SwitchToThread>);
static_assert(is_same<&::AcquireSRWLockExclusive, &freehold::detail::AcquireSRWLockExclusive>);
static_assert(is_same<&::ReleaseSRWLockExclusive, &freehold::detail::ReleaseSRWLockExclusive>);
static_assert(is_same<&::FlushProcessWriteBuffers, &freehold::detail::FlushProcessWriteBuffers>);
static_assert(is_same<&::Sleep, &freehold::detail::Sleep>);
static_assert(is_same<&::GetTickCount64, &freehold::detail::GetTickCount64>);
static_assert(is_same<&::QueryPerformanceCounter, &freehold::detail::QueryPerformanceCounter>);
static_assert(is_same<&::QueryPerformanceFrequency, &freehold::detail::QueryPerformanceFrequency>);
static_assert(is_same<&::GetCurrentProcess, &freehold::detail::GetCurrentProcess>);
static_assert(is_same<&::GetActiveProcessorCount, &freehold::detail::GetActiveProcessorCount>);
static_assert(is_same<&::EncodePointer, &freehold::detail::EncodePointer>);
static_assert(is_same<&::GetModuleHandleA, &freehold::detail::GetModuleHandleA>);
static_assert(is_same<&::GetModuleHandleExA, &freehold::detail::GetModuleHandleExA>);
static_assert(is_same<&::GetModuleFileNameA, &freehold::detail::GetModuleFileNameA>);
static_assert(is_same<&::GetProcAddress, &freehold::detail::GetProcAddress>);
static_assert(is_same<&::RtlCaptureStackBackTrace, &freehold::detail::RtlCaptureStackBackTrace>);
static_assert(is_same<&::SetUnhandledExceptionFilter, &freehold::detail::SetUnhandledExceptionFilter>);

static_assert(windows_mem_commit == MEM_COMMIT && windows_mem_reserve == MEM_RESERVE &&
              windows_mem_decommit == MEM_DECOMMIT && windows_mem_release == MEM_RELEASE &&
              windows_mem_reset == MEM_RESET && windows_mem_image == MEM_IMAGE);
static_assert(windows_page_noaccess == PAGE_NOACCESS && windows_page_readwrite == PAGE_READWRITE &&
              windows_page_guard == PAGE_GUARD);
static_assert(windows_infinite == INFINITE && windows_all_processor_groups == ALL_PROCESSOR_GROUPS &&
              windows_access_violation == EXCEPTION_ACCESS_VIOLATION);
static_assert(windows_module_of_address ==
              (GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT));

static_assert(sizeof(windows_lock) == sizeof(SRWLOCK));
static_assert(sizeof(windows_region) == sizeof(MEMORY_BASIC_INFORMATION) &&
              offsetof(windows_region, reservation) == offsetof(MEMORY_BASIC_INFORMATION, AllocationBase) &&
              offsetof(windows_region, bytes) == offsetof(MEMORY_BASIC_INFORMATION, RegionSize) &&
              offsetof(windows_region, state) == offsetof(MEMORY_BASIC_INFORMATION, State) &&
              offsetof(windows_region, protection) == offsetof(MEMORY_BASIC_INFORMATION, Protect));
static_assert(sizeof(windows_working_set_page) == sizeof(PSAPI_WORKING_SET_EX_INFORMATION));
static_assert(sizeof(windows_exception) == sizeof(EXCEPTION_RECORD) &&
              offsetof(windows_exception, information) == offsetof(EXCEPTION_RECORD, ExceptionInformation));

#endif

TEST(windows_declarations, are_those_of_windows_h) {
#if !defined(_WIN32)
    GTEST_SKIP() << "the system is another one";
#endif
}
