// expect: deleted (function|constructor)
// A copy would count owners that it does not have.
#include <freehold/counting/reference_count.hpp>

#include <freehold/counting/plain_counting.hpp>

void copy(const freehold::reference_count<freehold::plain_counting>& count) {
    const freehold::reference_count<freehold::plain_counting> copied(count);
}
