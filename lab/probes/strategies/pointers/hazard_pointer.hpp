#pragma once
// Hazard pointers: a raw atomic pointer, whose readers protect what they read by a freehold::hazard_pointer. Objects
// come from new, and are retired by hand.

#include <atomic>
#include <freehold/reclamation/hazard_pointer.hpp>
#include <utility>

#include "freehold_owning.hpp"

namespace lab {

// What a hazard pointer protects.
template <class T>
class protected_object {
public:
    explicit protected_object(const std::atomic<T*>& place) : object_(hazard_.protect(place)) {}

    explicit operator bool() const { return object_ != nullptr; }
    T& operator*() const { return *object_; }
    T* share() const { return object_; }

private:
    freehold::hazard_pointer hazard_ = freehold::make_hazard_pointer();
    T* object_;
};

// A place, and the hazard pointer that a thread keeps for what it reads there.
template <class T>
struct hazard_reader {
    const std::atomic<T*>& place;
    freehold::hazard_pointer hazard = freehold::make_hazard_pointer();
};

struct strategy : freehold_owning {
    template <class T>
    using pointer = std::atomic<T*>;

    template <class T>
    using owner = T*;

    template <class Derived>
    using base = freehold::hazard_pointer_obj_base<Derived>;

    template <class T, class... Arguments>
    static owner<T> own(Arguments&&... arguments) {
        return new T(std::forward<Arguments>(arguments)...);
    }

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return pointer<T>(own<T>(std::forward<Arguments>(arguments)...));
    }

    template <class T>
    static void release(std::atomic<T*>& last) {
        delete last.load();
    }

    template <class T>
    static hazard_reader<T> reader(const std::atomic<T*>& place) {
        return {place};
    }

    template <class T>
    static T* load(hazard_reader<T>& kept) {
        return kept.hazard.protect(kept.place);
    }

    template <class T>
    static protected_object<T> load(const std::atomic<T*>& place) {
        return protected_object<T>(place);
    }

    template <class T, class... Arguments>
    static void replace(std::atomic<T*>& place, Arguments&&... arguments) {
        // Release pairs with the acquire of protect(), acquire with the release of the thread that made the old one.
        T* const old = place.exchange(own<T>(std::forward<Arguments>(arguments)...), std::memory_order_acq_rel);
        if (old != nullptr) old->retire();
    }

    template <class T>
    static void retire(const protected_object<T>& unlinked) {
        unlinked.share()->retire();
    }
};

}  // namespace lab
