// A server that grows though its heap is collected: something still holds the sessions that ended. Two snapshots tell
// which type has grown, and a path from a root who holds one of them.
// Look at main(): it needs neither a debugger nor a change of a type.

#include <freehold/diagnosis/traced_snapshot.hpp>
#include <freehold/traced.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace {

struct session {
    std::string user;
    std::vector<char> received;
};

struct log_line {
    std::string text;
    freehold::traced_ptr<session> about;  // the leak: the text would do
};

struct server {
    std::vector<freehold::traced_ptr<session>> open;
    std::vector<freehold::traced_ptr<log_line>> log;
};

// Effects: a user comes, is served, and goes.
void serve(freehold::traced_heap& heap, server& all, int number) {
    const freehold::traced_local<session> one =
        heap.make<session>("user " + std::to_string(number), std::vector<char>());
    all.open.push_back(one);
    one->received.resize(10'000);
    if (number % 10 == 0) all.log.push_back(heap.make<log_line>(one->user + " was slow", one));
    all.open.pop_back();
}

}  // namespace

int main() {
    freehold::traced_heap heap;
    const freehold::traced_root<server> all = heap.make<server>();
    for (int i = 0; i < 100; ++i) serve(heap, *all, i);

    heap.collect();
    const freehold::heap_snapshot before = freehold::snapshot_of(heap);
    for (int i = 100; i < 1100; ++i) serve(heap, *all, i);
    heap.collect();
    const freehold::heap_snapshot after = freehold::snapshot_of(heap);

    freehold::report_growth(before, after, stdout);
    const std::vector<freehold::census_line> grown = freehold::growth(before, after);
    const bool sessions_have_grown = grown.front().type.ends_with("session") && grown.front().objects == 100;

    // Any of the sessions will do.
    std::size_t leaked = 0;
    while (after.type_of(leaked).name != grown.front().type) ++leaked;
    const void* const address = after.objects()[leaked].address;
    freehold::report_owners(after, address, stdout);
    const freehold::heap_snapshot::path path = freehold::who_owns(after, address);
    const bool the_log_holds_it = path && path.owners.back().type.ends_with("log_line");

    return sessions_have_grown && the_log_holds_it ? 0 : 1;
}
