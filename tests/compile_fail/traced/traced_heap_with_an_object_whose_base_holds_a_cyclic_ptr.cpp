// expect: does not follow the cyclic_ptr in this object
// at most 49 lines: clang names each header and each template on the way to the member.
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/traced/traced_heap.hpp>

struct person;

class friends {
public:
    void trace(auto& visit) const { visit(first_); }

private:
    freehold::cyclic_ptr<person> first_;
};

struct person : friends {
    void trace(auto& visit) const { friends::trace(visit); }
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }
