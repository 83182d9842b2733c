#pragma once
// boost::shared_ptr of an object from new that a function deletes: the count is a second allocation.

#include <boost/smart_ptr/shared_ptr.hpp>

#include "../../pointer_strategy.hpp"
#include "boost_library.hpp"

namespace lab {

struct strategy : owning {
    static constexpr auto library = boost_library;

    template <class T>
    using pointer = boost::shared_ptr<T>;

    template <class T>
    static pointer<T> adopt(T* object) {
        return pointer<T>(object, delete_object<T>);
    }
};

}  // namespace lab
