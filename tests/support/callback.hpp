#pragma once
// callback<Arguments...>: a function that a test gives to an object, as a std::function<void(Arguments...)>.
//
// A contract's lambda is another one for each implementation, and to put it into a std::function takes the compiler
// longer than the rest of the test: half of the time of contracts/owning_pointer/assignment.cpp was that.

#include <cstddef>
#include <new>
#include <type_traits>

namespace support {

template <class... Arguments>
class callback {
public:
    callback() = default;

    template <class Work>
        requires(!std::is_same_v<Work, callback>)
    callback(Work work)
        : call_([](const void* kept, Arguments... arguments) { (*static_cast<const Work*>(kept))(arguments...); }) {
        static_assert(std::is_trivially_copyable_v<Work> && sizeof(Work) <= sizeof kept_, "a lambda with few captures");
        ::new (static_cast<void*>(kept_)) Work(work);
    }

    explicit operator bool() const { return call_ != nullptr; }

    void operator()(Arguments... arguments) const { call_(kept_, arguments...); }

private:
    alignas(std::max_align_t) std::byte kept_[6 * sizeof(void*)] = {};
    void (*call_)(const void*, Arguments...) = nullptr;
};

}  // namespace support
