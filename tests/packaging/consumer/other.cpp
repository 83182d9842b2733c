#include "other.hpp"

freehold::shared_ptr<int> made_in_other() { return freehold::make_shared<int>(42); }

bool released_in_other(freehold::shared_ptr<int> last) {
    const freehold::weak_ptr<int> weak = last;
    last.reset();
    return weak.expired();
}
