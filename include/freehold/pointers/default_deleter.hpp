#pragma once
// default_deleter: deletes a pointer to anything, for the place of a deleter before an allocator (N1851).
//
//     freehold::shared_ptr<order> owner(new order, freehold::default_deleter(), allocator);
//
// Thread safety: any. Exceptions: none. Cost: empty.

namespace freehold::inline v0_2 {

struct default_deleter {
    // Effects: delete object. Requires: T is complete.
    template <class T>
    void operator()(T* object) const noexcept {
        static_assert(sizeof(T) > 0, "freehold: delete of an incomplete type");
        delete object;
    }
};

}  // namespace freehold
