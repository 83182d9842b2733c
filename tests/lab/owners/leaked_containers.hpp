#pragma once
// Kinds of leaks: where in an object the handle is. Each function makes one structure.

#include <any>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>

#include "coroutines.hpp"
#include "ground.hpp"
#include "leaked.hpp"

namespace leaked {

inline void clique() {
    struct Member {
        std::vector<sp::shared_ptr<Member>> all;
    };
    const auto a = sp::make_shared<Member>(), b = sp::make_shared<Member>(), c = sp::make_shared<Member>();
    for (Member* each : {a.get(), b.get(), c.get()}) each->all = {a, b, c};
    const auto cut = [&] {
        for (Member* each : {a.get(), b.get(), c.get()}) each->all.clear();
    };
    leak("clique in vectors", cut, a, b, c);
}

inline void map() {
    struct Named {
        std::map<std::string, sp::shared_ptr<Named>> by_name;
    };
    const auto named = sp::make_shared<Named>();
    named->by_name["other"] = sp::make_shared<Named>();
    const auto other = named->by_name["other"];
    other->by_name["a name that no string has room for"] = named;
    leak("map", [&] { named->by_name.clear(); }, named, other);
}

inline void unordered_map() {
    struct Numbered {
        std::unordered_map<int, sp::shared_ptr<Numbered>> by_number;
    };
    const auto numbered = sp::make_shared<Numbered>();
    for (int i = 0; i < 5; ++i) numbered->by_number[i] = i == 3 ? numbered : nullptr;
    leak("unordered_map", [&] { numbered->by_number.clear(); }, numbered);
}

inline void function() {
    struct Called {
        std::function<int()> call;
    };
    const auto called = sp::make_shared<Called>();
    called->call = [called] { return called->call ? 1 : 0; };
    leak("function", [&] { called->call = nullptr; }, called);
}

#if __cpp_rtti
inline void any() {
    struct Anything {
        std::any value;
    };
    const auto anything = sp::make_shared<Anything>();
    anything->value = anything;
    leak("any", [&] { anything->value.reset(); }, anything);
}
#endif

inline void optional_and_variant() {
    struct Choice {
        std::optional<sp::shared_ptr<Choice>> perhaps;
        std::variant<int, std::string, sp::shared_ptr<Choice>> one_of;
    };
    const auto a = sp::make_shared<Choice>();
    const auto b = sp::make_shared<Choice>();
    a->perhaps = b;
    b->one_of = a;
    leak("optional and variant", [&] { a->perhaps.reset(); }, a, b);
}

inline void behind_unique_ptr() {
    struct Outer;
    struct Inner {
        Outer* back;
        sp::shared_ptr<Outer> owner;
    };
    struct Outer {
        std::unique_ptr<Inner> inner;
    };
    const auto outer = sp::make_shared<Outer>();
    outer->inner.reset(new Inner{outer.get(), outer});
    leak("behind a unique_ptr", [&] { outer->inner->owner.reset(); }, outer);
}

inline void list_and_deque() {
    struct Queued {
        std::list<sp::shared_ptr<Queued>> list;
        std::deque<sp::shared_ptr<Queued>> deque;
    };
    const auto a = sp::make_shared<Queued>();
    const auto b = sp::make_shared<Queued>();
    a->list.push_back(b);
    b->deque.push_back(a);
    leak("list and deque", [&] { a->list.clear(); }, a, b);
}

inline void tail() {
    struct Behind {
        sp::shared_ptr<Behind> next;
        std::string text = "what the cycle holds, and more than a string has room for";
    };
    struct Head {
        sp::shared_ptr<Head> me;
        sp::shared_ptr<Behind> behind;
    };
    const auto head = sp::make_shared<Head>();
    head->me = head;
    head->behind = sp::make_shared<Behind>();
    head->behind->next = sp::make_shared<Behind>();
    leak("cycle with a tail", [&] { head->me.reset(); }, head, head->behind, head->behind->next);
}

inline ground::Kept<std::vector<void*>> registry;

inline void registered() {
    const auto a = sp::make_shared<Node>();
    const auto b = sp::make_shared<Node>();
    a->next = b;
    b->next = a;
    if (ground::fate != ground::Fate::cut) registry.value.push_back(a.get());
    ground::leak_as("leaked-raw", "raw registry", [&] { a->next.reset(); }, a, b);
}

#if __cpp_impl_coroutine
inline void coroutine() {
    struct Session {
        std::coroutine_handle<> frame;
    };
    const auto session = sp::make_shared<Session>();
    session->frame = coroutines::pause_with(session);
    leak("its own coroutine frame", [&] { session->frame.destroy(); }, session);
}
#endif

}
