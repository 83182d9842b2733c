// expect: give it a member function trace
#include <freehold/traced/traced_heap.hpp>
#include <string>
#include <vector>

class person {
public:
    void add(const freehold::traced_ptr<person>& friend_of_it) { friends_.push_back(friend_of_it); }

private:
    std::vector<freehold::traced_ptr<person>> friends_;
    std::string name_;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }
