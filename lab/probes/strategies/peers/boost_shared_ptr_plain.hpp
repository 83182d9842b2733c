#pragma once
// boost::shared_ptr from a plain `new`, with a plain count: Boost without threads.

#define BOOST_SP_DISABLE_THREADS
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
        return pointer<T>(object);
    }
};

}  // namespace lab
