#pragma once
// What the uses of dangling.cpp and sound.cpp have in common.

#include <freehold/freehold.hpp>

#include <memory>
#include <utility>

struct object {
    int value = 0;
};

struct counted : freehold::ref_counted<counted> {
    int value = 0;
};

inline freehold::managed_ptr<object> sole() { return freehold::managed_ptr<object>(new object); }
inline freehold::shared_ptr<object> shared() { return freehold::make_shared<object>(); }
inline freehold::local_shared_ptr<object> local() { return freehold::make_local_shared<object>(); }
inline freehold::biased_shared_ptr<object> biased() { return freehold::make_biased_shared<object>(); }
inline freehold::thin_ptr<object> thin() { return freehold::make_thin<object>(); }
inline freehold::intrusive_ptr<counted> intrusive() { return freehold::make_intrusive<counted>(); }
inline freehold::linked_ptr<object> linked() { return freehold::linked_ptr<object>(new object); }
inline freehold::unique_ptr<object> unique() { return freehold::unique_ptr<object>(new object); }

// The last use of a pointer or reference.
inline int use(const object& used) { return used.value; }
inline int use(const counted& used) { return used.value; }
inline int use(const object* used) { return used->value; }
inline int use(const counted* used) { return used->value; }
inline int use(int value) { return value; }
