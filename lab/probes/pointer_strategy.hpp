#pragma once
// What a strategy of ownership provides. A strategy header under strategies/ defines `struct lab::strategy`,
// which derives from `lab::owning` and names:
//   library                 what it is, as text: proof of which library was compiled in
//   pointer<T>              the handle
//   adopt(T*) or make<T>()  how an owner comes to be: from `new T`, or with the object housed beside its count
//   base<Derived>           only where the object must bring its own count
//   release(pointer<T>&)    only where the last owner must delete by hand
//   view<T>                 how one looks at an object without owning it
//   weak<T>                 only with weak pointers: the one for T, with lock()
//   session        only where a thread that uses objects must say so: what it has meanwhile, with lock(mutex) and
//   idle();
//                  and waiting, which the first thread has while it waits for others
//   parent<T>              only with links back to an owner that are cheaper than weak pointers: the one for T; and
//                           owner(const parent<T>&), an owner of that T
//   load(const pointer<T>&) and replace(pointer<T>&, arguments...)
//                           only where threads may do both at once: what leads to the object and keeps it alive; and
//                           a new T in its place. Such a pointer<T> is default constructible, and empty then
//   owner<T> and own<T>(arguments...)
//                           only where threads may also compare and exchange such a pointer<T>: what owns a T that is
//                           not in one, and a new T. A pointer<T> is then made from an owner, and share() below makes
//                           an owner of what load() returns
//   retire(read)            only where such an owner counts nothing: frees what load() returned, once nobody reads it
//   take(pointer<T>&)       only where the end of a long chain would be a recursion: takes the owner out
//   reader(pointer<T>&)     only where each thread reads through something of its own, which load() then takes
//   collections()           only where cycles are collected: what was done since it was last asked
//   collects_in_threads     only where they are collected by threads of the collector's, whose time is the program's,
//   too.
//                           No owner exists before a program begins: a process that is forked has not those threads
//   clear()                 only where what a program has dropped may be left: frees that
//   vector<T>               only where a std::vector may not hold such pointers in an object: what may
//   shares                  false where owners do not know which of them is the last

#include <concepts>
#include <type_traits>
#include <utility>

namespace lab {

struct owning {
    static constexpr bool shares = true;

    template <class Derived>
    struct base {};

    template <class T>
    using view = const T*;

    template <class Pointer>
    static void release(Pointer&) {}
};

// Has weak pointers, so that a cycle can be left open.
template <class Strategy>
concept has_weak = requires { typename Strategy::template weak<int>; };

// Has links from an object back to what owns it.
template <class Strategy>
concept links_back = requires { typename Strategy::template parent<int>; };

// Has a pointer that threads may replace while others read it.
template <class Strategy>
concept replaces = requires(typename Strategy::template pointer<int> place) {
    Strategy::load(place);
    Strategy::replace(place, 0);
};

// Has a pointer that threads may compare and exchange, so that containers can be made of it.
template <class Strategy>
concept exchanges = requires(typename Strategy::template pointer<int> place) {
    Strategy::load(place);
    Strategy::template own<int>(0);
};

// Its owners count nothing: what is unlinked must be retired, and may then be freed with what it leads to.
template <class Strategy, class Node>
concept retires =
    requires(typename Strategy::template pointer<Node> place) { Strategy::retire(Strategy::load(place)); };

// Collects cycles.
template <class Strategy>
concept collects = requires { Strategy::collections(); } || requires { Strategy::collects_in_threads; };

// Its handles are values: they can be empty, and copied.
template <class Strategy, template <class> class Node>
concept copies = std::semiregular<typename Strategy::template pointer<Node<Strategy>>>;

// Its handles can at least be moved.
template <class Strategy, template <class> class Node>
concept moves = std::move_constructible<typename Strategy::template pointer<Node<Strategy>>>;

// A deleter for those that take a function.
template <class T>
void delete_object(T* object) {
    delete object;
}

// Returns a look at what `owner` owns.
template <class View, class Owner>
View look_at(const Owner& owner) {
    if constexpr (std::is_pointer_v<View>) {
        return owner.get();
    } else {
        return owner;
    }
}

// Returns the first owner of a new T, made in the strategy's own way.
template <class Strategy, class T, class... Arguments>
typename Strategy::template pointer<T> make_owner(Arguments&&... arguments) {
    if constexpr (requires { Strategy::adopt(static_cast<T*>(nullptr)); }) {
        return Strategy::adopt(new T(std::forward<Arguments>(arguments)...));
    } else {
        return Strategy::template make<T>(std::forward<Arguments>(arguments)...);
    }
}

// Returns a pointer that owns nothing.
template <class Strategy, class T>
typename Strategy::template pointer<T> no_owner() {
    if constexpr (std::is_default_constructible_v<typename Strategy::template pointer<T>>) {
        return {};
    } else {
        return Strategy::adopt(static_cast<T*>(nullptr));
    }
}

// Returns an owner of what was read.
template <class Read>
    requires(requires(const Read& read) { read.share(); } || std::copy_constructible<Read>)
auto share(const Read& read) {
    if constexpr (requires { read.share(); }) {
        return read.share();
    } else {
        return read;
    }
}

// Returns whether `place` led to what was read, and now leads to what `next` owns. If not, it is read anew.
template <class Strategy, class Place, class Read, class Owner>
bool compare_exchange(Place& place, Read& read, Owner next) {
    if constexpr (requires { place.compare_exchange_weak(read, std::move(next)); }) {
        return place.compare_exchange_weak(read, std::move(next));
    } else {
        Owner expected = read.share();
        const bool exchanged = place.compare_exchange_strong(expected, std::move(next));
        if (!exchanged) read = Strategy::load(place);
        return exchanged;
    }
}

}  // namespace lab
