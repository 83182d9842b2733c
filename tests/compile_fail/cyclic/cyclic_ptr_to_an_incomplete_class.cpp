// expect: T must be complete where a cyclic_ptr<T> is copied or released
#include <freehold/cyclic/cyclic_ptr.hpp>

class widget;

class document {
public:
    freehold::cyclic_ptr<widget> root() const { return root_; }

private:
    freehold::cyclic_ptr<widget> root_;
};

bool is_empty(const document& d) { return !d.root(); }
