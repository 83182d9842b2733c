// expect: give it a member function trace
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <string>
#include <vector>

class node {
public:
    void add(const freehold::cyclic_ptr<node>& next) { next_.push_back(next); }

private:
    std::vector<freehold::cyclic_ptr<node>> next_;
    std::string name_;
};

const auto made = freehold::make_cyclic<node>();
