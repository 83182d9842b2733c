// expect: incomplete type|undefined template
// An object that counts its own owners has no room for shards.
#include <freehold/counting/sharded_counting.hpp>

freehold::reference_count<freehold::sharded_counting> count;
