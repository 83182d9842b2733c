#pragma once
// boost::local_shared_ptr: a plain count for owners on one thread, with the object housed beside it.

#include <boost/smart_ptr/local_shared_ptr.hpp>
#include <boost/smart_ptr/make_local_shared.hpp>
#include <utility>

#include "../../pointer_strategy.hpp"
#include "boost_library.hpp"

namespace lab {

struct strategy : owning {
    static constexpr auto library = boost_library;

    template <class T>
    using pointer = boost::local_shared_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return boost::make_local_shared<T>(std::forward<Arguments>(arguments)...);
    }
};

}  // namespace lab
