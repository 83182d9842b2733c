#pragma once
// The address that a handle of any kind leads to.

namespace lab {

template <class T>
T* address(T* pointer) {
    return pointer;
}

auto* address(const auto& handle) { return handle.get(); }

}  // namespace lab
