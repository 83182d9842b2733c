#pragma once
// What the library calls of Windows. <windows.h> declares it, too, and a program may include both:
// tests/unit/core/platform/ compiles this beside it. Not included here, since it defines names such as ERROR, near and
// small as macros.

#include "../../../config.hpp"

#if defined(FREEHOLD_WINDOWS)

#include <cstddef>

struct _EXCEPTION_POINTERS;
struct _MEMORY_BASIC_INFORMATION;
struct _RTL_SRWLOCK;
struct _SECURITY_ATTRIBUTES;
struct HINSTANCE__;
union _LARGE_INTEGER;

namespace freehold::inline v0_2::detail {

using windows_flags = unsigned long;

extern "C" {

// Pages
__declspec(dllimport) void* __stdcall VirtualAlloc(void* address, unsigned long long bytes, unsigned long kind,
                                                   unsigned long protection);
__declspec(dllimport) int __stdcall VirtualFree(void* address, unsigned long long bytes, unsigned long kind);
__declspec(dllimport) int __stdcall VirtualProtect(void* address, unsigned long long bytes, unsigned long protection,
                                                   unsigned long* before);
__declspec(dllimport) unsigned long long __stdcall VirtualQuery(const void* address,
                                                                ::_MEMORY_BASIC_INFORMATION* region,
                                                                unsigned long long bytes);
__declspec(dllimport) int __stdcall K32QueryWorkingSetEx(void* process, void* pages, unsigned long bytes);

// Threads
__declspec(dllimport) void* __stdcall CreateThread(::_SECURITY_ATTRIBUTES* security, unsigned long long stack_bytes,
                                                   unsigned long(__stdcall* run)(void*), void* argument,
                                                   unsigned long flags, unsigned long* id);
__declspec(dllimport) unsigned long __stdcall WaitForSingleObject(void* handle, unsigned long milliseconds);
__declspec(dllimport) int __stdcall CloseHandle(void* handle);
__declspec(dllimport) unsigned long __stdcall GetCurrentProcessId();
__declspec(dllimport) unsigned long __stdcall GetCurrentThreadId();
__declspec(dllimport) void __stdcall GetCurrentThreadStackLimits(unsigned long long* lowest, unsigned long long* base);
__declspec(dllimport) int __stdcall SwitchToThread();
__declspec(dllimport) void __stdcall AcquireSRWLockExclusive(::_RTL_SRWLOCK* lock);
__declspec(dllimport) void __stdcall ReleaseSRWLockExclusive(::_RTL_SRWLOCK* lock);
__declspec(dllimport) void __stdcall FlushProcessWriteBuffers();

// Time
__declspec(dllimport) void __stdcall Sleep(unsigned long milliseconds);
__declspec(dllimport) unsigned long long __stdcall GetTickCount64();
__declspec(dllimport) int __stdcall QueryPerformanceCounter(::_LARGE_INTEGER* ticks);
__declspec(dllimport) int __stdcall QueryPerformanceFrequency(::_LARGE_INTEGER* ticks_in_second);

// The process
__declspec(dllimport) void* __stdcall GetCurrentProcess();
__declspec(dllimport) unsigned long __stdcall GetActiveProcessorCount(unsigned short group);
__declspec(dllimport) void* __stdcall EncodePointer(void* pointer);
__declspec(dllimport) ::HINSTANCE__* __stdcall GetModuleHandleA(const char* name);
__declspec(dllimport) int __stdcall GetModuleHandleExA(unsigned long flags, const char* name, ::HINSTANCE__** module);
__declspec(dllimport) unsigned long __stdcall GetModuleFileNameA(::HINSTANCE__* module, char* name,
                                                                 unsigned long bytes);
__declspec(dllimport) long long(__stdcall* __stdcall GetProcAddress(::HINSTANCE__* module, const char* name))();
__declspec(dllimport) unsigned short __stdcall RtlCaptureStackBackTrace(unsigned long skipped, unsigned long most,
                                                                        void** calls, unsigned long* hash);
__declspec(dllimport) long(__stdcall* __stdcall SetUnhandledExceptionFilter(
    long(__stdcall* filter)(::_EXCEPTION_POINTERS*)))(::_EXCEPTION_POINTERS*);
}

using windows_exception_filter = long(__stdcall*)(::_EXCEPTION_POINTERS*);

inline constexpr windows_flags windows_mem_commit = 0x1000;
inline constexpr windows_flags windows_mem_reserve = 0x2000;
inline constexpr windows_flags windows_mem_decommit = 0x4000;
inline constexpr windows_flags windows_mem_release = 0x8000;
inline constexpr windows_flags windows_mem_reset = 0x80000;
inline constexpr windows_flags windows_mem_image = 0x1000000;
inline constexpr windows_flags windows_page_noaccess = 0x01;
inline constexpr windows_flags windows_page_readwrite = 0x04;
inline constexpr windows_flags windows_page_guard = 0x100;
inline constexpr windows_flags windows_infinite = 0xFFFFFFFF;
inline constexpr unsigned short windows_all_processor_groups = 0xFFFF;
inline constexpr windows_flags windows_access_violation = 0xC0000005;
inline constexpr windows_flags windows_module_of_address = 0x4 | 0x2;  // without a reference to it

// SRWLOCK. Constant-initialized, and trivially destructible.
class windows_lock {
public:
    void lock() noexcept { AcquireSRWLockExclusive(reinterpret_cast<::_RTL_SRWLOCK*>(&word_)); }
    void unlock() noexcept { ReleaseSRWLockExclusive(reinterpret_cast<::_RTL_SRWLOCK*>(&word_)); }

private:
    void* word_ = nullptr;
};

// MEMORY_BASIC_INFORMATION
struct windows_region {
    void* begin;
    void* reservation;
    windows_flags first_protection;
    unsigned short partition;
    std::size_t bytes;
    windows_flags state;
    windows_flags protection;
    windows_flags kind;
};

// PSAPI_WORKING_SET_EX_INFORMATION
struct windows_working_set_page {
    void* page;
    unsigned long long attributes;  // the first bit: there is memory behind it
};

// EXCEPTION_RECORD
struct windows_exception {
    windows_flags code;
    windows_flags flags;
    windows_exception* nested;
    void* place;
    windows_flags count;
    unsigned long long information[15];  // of an access violation: the kind of access, and the address
};

}  // namespace freehold::detail

#endif
