// expect: deleted (function|constructor)
// A copy would count owners that it does not have.
#include <freehold/counting/shared_count.hpp>

#include <freehold/counting/plain_counting.hpp>

void copy(const freehold::shared_count<freehold::plain_counting>& count) {
    const freehold::shared_count<freehold::plain_counting> copied(count);
}
