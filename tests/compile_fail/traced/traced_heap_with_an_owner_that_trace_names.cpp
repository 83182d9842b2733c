// expect: would free what the traced_ptrs behind it point to
// at most 46 lines: clang names each template on the way to the member.
#include <freehold/traced/traced_heap.hpp>
#include <memory>

struct pet {
    freehold::traced_ptr<pet> friend_of_it;
};

class person {
public:
    void trace(auto& visit) const { visit(partner_, dog_); }

private:
    freehold::traced_ptr<person> partner_;
    std::shared_ptr<pet> dog_;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }
