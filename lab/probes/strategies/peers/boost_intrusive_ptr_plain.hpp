#pragma once
// boost::intrusive_ptr with a plain count in the object.

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include "../../pointer_strategy.hpp"
#include "boost_library.hpp"

namespace lab {

struct strategy : owning {
    static constexpr auto library = boost_library;

    template <class Derived>
    using base = boost::intrusive_ref_counter<Derived, boost::thread_unsafe_counter>;

    template <class T>
    using pointer = boost::intrusive_ptr<T>;

    template <class T>
    static pointer<T> adopt(T* object) {
        return pointer<T>(object);
    }
};

}  // namespace lab
