// expect: traced_ptr in an object of make_cyclic keeps nothing alive
// at most 46 lines: clang names each template on the way to the member.
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/traced/traced_heap.hpp>

struct person;

class friends {
public:
    void trace(auto& visit) const { visit(first_); }

private:
    freehold::traced_ptr<person> first_;
};

struct person : friends {
    void trace(auto& visit) const { friends::trace(visit); }
};

const auto made = freehold::make_cyclic<person>();
