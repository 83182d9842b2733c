// expect: protected
// It would not be the object that is deleted.
#include <freehold/pointers/ref_counted.hpp>

struct node : freehold::ref_counted<node> {};

void end(freehold::ref_counted<node>* base) { delete base; }
