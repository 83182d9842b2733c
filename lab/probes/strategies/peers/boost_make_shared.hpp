#pragma once
// boost::shared_ptr with its object housed beside the count (boost::make_shared).

#include <boost/smart_ptr/make_shared_object.hpp>
#include <boost/smart_ptr/weak_ptr.hpp>
#include <utility>

#include "../../pointer_strategy.hpp"
#include "boost_library.hpp"

namespace lab {

struct strategy : owning {
    static constexpr auto library = boost_library;

    template <class T>
    using pointer = boost::shared_ptr<T>;

    template <class T>
    using weak = boost::weak_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return boost::make_shared<T>(std::forward<Arguments>(arguments)...);
    }
};

}  // namespace lab
