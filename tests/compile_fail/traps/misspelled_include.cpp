// expect: deleted_copy
// The header does not exist: its name matches what is expected, yet nothing was tested.
#include <freehold/deleted_copy.hpp>
