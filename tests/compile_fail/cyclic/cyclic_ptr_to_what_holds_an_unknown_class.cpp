// expect: give it a member function trace
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <functional>

struct button {
    std::function<void()> when_pressed;
};

const auto p = freehold::make_cyclic<button>();
