#pragma once
// boost::atomic_shared_ptr, which threads replace while others read it.

#include <boost/smart_ptr/atomic_shared_ptr.hpp>
#include <boost/smart_ptr/make_shared_object.hpp>
#include <utility>

#include "../../pointer_strategy.hpp"
#include "boost_library.hpp"

namespace lab {

struct strategy : owning {
    static constexpr auto library = boost_library;

    template <class T>
    using pointer = boost::atomic_shared_ptr<T>;

    template <class T>
    using owner = boost::shared_ptr<T>;

    template <class T, class... Arguments>
    static owner<T> own(Arguments&&... arguments) {
        return boost::make_shared<T>(std::forward<Arguments>(arguments)...);
    }

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return pointer<T>(own<T>(std::forward<Arguments>(arguments)...));
    }

    template <class T>
    static boost::shared_ptr<T> load(const boost::atomic_shared_ptr<T>& place) {
        return place.load();
    }

    template <class T, class... Arguments>
    static void replace(boost::atomic_shared_ptr<T>& place, Arguments&&... arguments) {
        place.store(own<T>(std::forward<Arguments>(arguments)...));
    }

    template <class T>
    static owner<T> take(boost::atomic_shared_ptr<T>& place) {
        return place.exchange(nullptr);
    }
};

}  // namespace lab
