#pragma once
// The memory of this process that is present, in bytes.

namespace lab {

struct resident_memory {
    long anonymous = 0;
    long of_files = 0;  // code and constants, which are no concern of an allocator
};

// Exact, unlike the counters of the kernel that are cheaper to read. Zero if the kernel does not report it.
resident_memory read_resident_memory();

// The most memory that was present so far, that of files included. A child begins with the memory of its parent, so
// that its peak is no lower than that. The kernel is late by up to 64 pages of each kind.
long read_peak_memory();

}  // namespace lab
