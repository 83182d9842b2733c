#pragma once
// cache: the `x` entries that were used last, in a doubly linked list and a hash map. Of 16 x look-ups, some find an
// entry, which becomes the newest; the others make one, and the oldest leaves. Clients observe entries by weak
// pointers: each look-up sets the one of a random client, after it has looked whether what that one observed is still
// in the cache.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "registry/extents.hpp"
#include "workloads/pointers/random_numbers.hpp"
#include "workloads/program.hpp"

namespace lab::cache {

constexpr int lookups_for_each_entry = 16;
constexpr int entries_for_a_client = 8;

// The program. A Form names owner, a variable that keeps an entry; make(key), which returns one; previous(entry), which
// returns an owner of that one or nothing; and state(), which has places, a map from keys to entries; newest; oldest;
// and clients, a vector of weak pointers.
template <class Form>
class least_recently_used {
    using owner = typename Form::owner;

public:
    least_recently_used(Form& form, int entries) : form_(form), entries_(entries) {
        form_.state().clients.resize(clients());
    }

    std::uint64_t run() {
        std::uint64_t sum = 0;
        for (int done = 0; done < lookups_for_each_entry * entries_; ++done) {
            const int key = std::min(random_.below(2 * entries_), random_.below(2 * entries_));
            const owner found = look_up(key);
            auto& client = form_.state().clients[random_.below(clients())];
            if (const owner seen = client.lock(); seen && seen->is_cached) {
                sum += static_cast<std::uint64_t>(seen->key);
            }
            client = found;
        }
        return sum;
    }

    // Takes the list apart, because releasing a long one would recurse.
    void end() {
        for (owner at = form_.state().newest; at;) {
            at->previous = {};
            owner next = at->next;
            at->next = nullptr;
            at = std::move(next);
        }
    }

private:
    owner look_up(int key) {
        auto& state = form_.state();
        if (const auto known = state.places.find(key); known != state.places.end()) {
            const owner found = known->second;
            if (found != state.newest) {
                unlink(found);
                push(found);
            }
            return found;
        }
        const owner made = form_.make(key);
        form_.state().places[key] = made;
        push(made);
        if (form_.state().places.size() > static_cast<std::size_t>(entries_)) {
            drop_oldest();
        }
        return made;
    }

    void drop_oldest() {
        const owner oldest = form_.state().oldest;
        oldest->is_cached = false;
        unlink(oldest);
        form_.state().places.erase(oldest->key);
    }

    void push(const owner& entry) {
        auto& state = form_.state();
        entry->previous = {};
        entry->next = state.newest;
        if (state.newest) {
            state.newest->previous = entry;
        } else {
            state.oldest = entry;
        }
        state.newest = entry;
    }

    void unlink(const owner& entry) {
        auto& state = form_.state();
        const owner previous = form_.previous(entry);
        (previous ? previous->next : state.newest) = entry->next;
        if (entry->next) {
            entry->next->previous = entry->previous;
        } else {
            state.oldest = previous;
        }
    }

    int clients() const { return std::max(1, entries_ / entries_for_a_client); }

    Form& form_;
    int entries_;
    random_numbers random_;
};

template <class Form>
std::uint64_t look_up(Form& form, int entries) {
    least_recently_used<Form> cache(form, entries);
    const std::uint64_t found = cache.run();
    cache.end();
    return found;
}

template <class Program>
struct looked_up {
    static constexpr series plot[] = {program<extents, Program>::as("look-ups")};

    static std::uint64_t checksum() { return program<extents, Program>::found; }
};

}  // namespace lab::cache
