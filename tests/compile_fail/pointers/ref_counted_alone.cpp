// expect: protected
// A count belongs to an object.
#include <freehold/pointers/ref_counted.hpp>

struct node : freehold::ref_counted<node> {};

void make() { freehold::ref_counted<node> alone; }
