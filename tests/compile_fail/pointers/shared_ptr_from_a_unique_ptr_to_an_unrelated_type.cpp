// expect: deleted (function .*pointer_does_not_convert|constructor of .*shared_ptr<int>)
#include <freehold/pointers/shared_ptr.hpp>
#include <memory>
#include <utility>

void own(std::unique_ptr<double> object) { freehold::shared_ptr<int> p(std::move(object)); }
