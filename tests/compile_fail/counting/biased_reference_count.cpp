// expect: incomplete type|undefined template
// An object that counts its own owners has no room for two counts.
#include <freehold/counting/biased_counting.hpp>

freehold::reference_count<freehold::biased_counting> count;
