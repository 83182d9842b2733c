#pragma once
// Google Benchmark's DoNotOptimize for a non-const lvalue, without its header: the strategies' files stay light.

namespace lab {

// Makes the compiler assume that `value`, and whatever it leads to, is read and changed here. Costs no instruction.
template <class T>
inline void keep(T& value) {
    asm volatile("" : "+m"(value) : : "memory");
}

}  // namespace lab
