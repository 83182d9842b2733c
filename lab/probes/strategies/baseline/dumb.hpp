#pragma once
// dumb: a class that holds a T* and owns nothing. Its copies and its destructor are written out but do no more than a
// raw pointer's: what it costs beyond raw is the price of being a class with special members.

#include "../../pointer_strategy.hpp"

namespace lab {

template <class T>
class dumb_ptr {
public:
    dumb_ptr() {}
    explicit dumb_ptr(T* object) : object_(object) {}
    dumb_ptr(const dumb_ptr& other) : object_(other.object_) {}
    dumb_ptr& operator=(const dumb_ptr& other) {
        object_ = other.object_;
        return *this;
    }
    ~dumb_ptr() {}

    T* get() const { return object_; }
    T& operator*() const { return *object_; }

private:
    T* object_ = nullptr;
};

struct strategy : owning {
    static constexpr const char* library = "none";
    static constexpr bool shares = false;

    template <class T>
    using pointer = dumb_ptr<T>;

    template <class T>
    static pointer<T> adopt(T* object) {
        return pointer<T>(object);
    }

    template <class T>
    static void release(dumb_ptr<T>& last) {
        delete last.get();
    }
};

}  // namespace lab
