// The program of same_as_std.cpp, which includes it once for each meaning of `sp`: so it has no `#pragma once`. It uses
// what C++20 has, with names found by their arguments where a user would leave it to that, and writes what it sees.

struct account : sp::enable_shared_from_this<account> {
    explicit account(std::ostream& stream, int initial = 0) : out(stream), balance(initial) {}
    account(const account&) = delete;
    account& operator=(const account&) = delete;
    virtual ~account() { out << "account " << balance << " ends\n"; }

    std::ostream& out;
    int balance;
};

struct savings : account {
    using account::account;
    double interest = 0.5;
};

struct closing {
    void operator()(account* object) const {
        object->out << "closing\n";
        delete object;
    }
};

struct tree {
    ~tree() { out << "tree " << name << " ends\n"; }

    std::ostream& out;
    std::string name;
    std::vector<sp::shared_ptr<tree>> children;
    sp::weak_ptr<tree> parent;
};

inline void ownership(std::ostream& out) {
    sp::shared_ptr<account> p(new savings(out, 1));
    out << p.use_count() << p->balance << (p ? "set" : "null") << (p == nullptr) << (p != nullptr) << '\n';
    sp::shared_ptr<account> q = p;
    sp::shared_ptr<const account> reader = q;
    sp::shared_ptr<int> balance(p, &p->balance);
    out << p.use_count() << (reader == p) << (p <=> q == 0) << p.owner_before(balance) << *balance << '\n';
    p.reset();
    q = nullptr;
    reader = {};
    out << balance.use_count() << '\n';
    balance.reset(new int(7));
    swap(p, q);
    p = sp::make_shared<savings>(out, 2);
    q = std::move(p);
    out << (p == nullptr) << q.use_count() << '\n';
    q.reset(new account(out, 3), closing());
    out << (get_deleter<closing>(q) != nullptr) << (get_deleter<int>(q) == nullptr) << '\n';
    q = sp::make_unique<savings>(out, 4);
    q = sp::shared_ptr<account>(new account(out, 5), closing(), std::allocator<int>());
    const sp::shared_ptr<account> null(nullptr, [&](std::nullptr_t) { out << "null is deleted\n"; });
    out << null.use_count() << (null == nullptr) << '\n';
}

inline void weak_record(std::ostream& out) {
    sp::weak_ptr<account> weak;
    out << weak.expired() << weak.use_count() << (weak.lock() == nullptr) << '\n';
    {
        const auto p = sp::make_shared<account>(out, 6);
        weak = p;
        const sp::weak_ptr<const account> copy = weak;
        out << weak.use_count() << copy.lock()->balance << p->shared_from_this().use_count();
        out << sp::shared_ptr<account>(weak).use_count() << p->weak_from_this().owner_before(copy) << '\n';
    }
    try {
        const sp::shared_ptr<account> none(weak);
    } catch (const sp::bad_weak_ptr&) {
        out << "bad weak pointer " << weak.expired() << '\n';
    }
}

inline void casts(std::ostream& out) {
    const sp::shared_ptr<account> p = sp::make_shared<savings>(out, 7);
    out << static_pointer_cast<savings>(p)->interest << dynamic_pointer_cast<savings>(p).use_count();
    out << const_pointer_cast<account>(sp::shared_ptr<const account>(p))->balance;
    const sp::shared_ptr<account> plain = sp::make_shared<account>(out, 8);
    out << (sp::dynamic_pointer_cast<savings>(plain) == nullptr) << sp::reinterpret_pointer_cast<char>(p).use_count();
    out << '\n';
}

inline void arrays(std::ostream& out) {
    struct element {
        ~element() { *stream << value; }
        std::ostream* stream = nullptr;
        int value = 0;
    };
    {
        const auto p = sp::make_shared<element[]>(3);
        for (int i = 0; i < 3; ++i) {
            p[i].stream = &out;
            p[i].value = i;
        }
        const sp::shared_ptr<element[]> same = p;
        out << same.use_count() << same[2].value << ' ';
    }
    out << '\n';
    const auto filled = sp::make_shared<int[4]>(7);
    const sp::shared_ptr<const int[]> unknown = filled;
    const auto rows = sp::allocate_shared<int[][2]>(std::allocator<int>(), 3);
    const sp::shared_ptr<int[]> owned(new int[2]{8, 9});
    const auto overwritten = sp::make_shared_for_overwrite<std::string[]>(2);
    out << unknown[3] << rows[2][1] << owned[1] << overwritten[1].empty() << '\n';
}

inline void containers(std::ostream& out) {
    const auto first = sp::make_shared<int>(1);
    const auto second = sp::make_shared<int>(2);
    const std::set<sp::shared_ptr<int>> ordered{first, second, first, nullptr};
    std::unordered_map<sp::shared_ptr<int>, int> hashed{{first, 1}, {second, 2}};
    ++hashed[first];
    std::map<sp::weak_ptr<int>, int, sp::owner_less<sp::weak_ptr<int>>> by_weak;
    by_weak[first] = 3;
    by_weak[sp::shared_ptr<int>(first, second.get())] = 4;
    std::set<sp::shared_ptr<int>, sp::owner_less<>> by_owner{first, sp::shared_ptr<int>(first, nullptr)};
    out << ordered.size() << hashed[first] << hashed.size() << by_weak.size() << by_weak[first] << by_owner.size()
        << by_owner.contains(sp::weak_ptr<int>(first)) << '\n';
    std::ostringstream address;
    std::ostringstream pointer;
    address << first.get();
    pointer << first;
    out << (address.str() == pointer.str())
        << (sp::hash<sp::shared_ptr<int>>()(first) == std::hash<int*>()(first.get())) << '\n';
}

inline void destruction(std::ostream& out) {
    const auto plant = [&](const char* name, std::vector<sp::shared_ptr<tree>> children) {
        auto planted = sp::make_shared<tree>(tree{out, name, {}, {}});
        for (const auto& child : children) child->parent = planted;
        planted->children = std::move(children);
        return planted;
    };
    auto root = plant("root", {plant("left", {plant("leaf", {})}), plant("right", {})});
    const auto kept = root->children[1];
    out << kept->parent.lock()->name << '\n';
    root.reset();
    out << kept->parent.expired() << '\n';
    auto list = plant("1", {plant("2", {plant("3", {})})});
    while (!list->children.empty()) list = list->children.front();
}

inline void deduction(std::ostream& out) {
    const sp::shared_ptr from_unique(sp::make_unique<int>(7));
    const sp::weak_ptr weak(from_unique);
    const sp::shared_ptr locked(weak);
    out << *locked << locked.use_count() << '\n';
}

inline void atomics([[maybe_unused]] std::ostream& out) {
#ifdef __cpp_lib_atomic_shared_ptr
    sp::atomic<sp::shared_ptr<int>> atomic(sp::make_shared<int>(1));
    auto expected = atomic.load();
    out << *expected << expected.use_count();
    out << atomic.compare_exchange_strong(expected, sp::make_shared<int>(2)) << *atomic.exchange(nullptr) << '\n';
#endif
}

inline std::string output_of_program() {
    std::ostringstream out;
    ownership(out);
    weak_record(out);
    casts(out);
    arrays(out);
    containers(out);
    destruction(out);
    deduction(out);
    atomics(out);
    return out.str();
}
