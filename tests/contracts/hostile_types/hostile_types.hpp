#pragma once
// Types that a library can only hold if it leaves their names and operators alone.

namespace hostile {

struct incomplete;

// What is asked for by name with a holder<incomplete>* as an argument, or as the T of a pointer's type, makes the
// compiler look for friends in holder<incomplete>: it can't be completed, so the program does not compile.
template <class T>
struct holder {
    T held;
};

using pointer = holder<incomplete>*;

// Every call that finds these functions by argument-dependent lookup is an error, and so is each operator.
struct object {
    object() = default;
    explicit object(int initial) : value(initial) {}
    virtual ~object() = default;

    int value = 0;
};

struct derived : object {
    using object::object;
};

template <class A>
void operator&(const A&) = delete;
template <class A>
void operator!(const A&) = delete;
template <class A, class B>
void operator,(const A&, const B&) = delete;
template <class A, class B>
void operator&&(const A&, const B&) = delete;
template <class A, class B>
void operator||(const A&, const B&) = delete;

}  // namespace hostile
