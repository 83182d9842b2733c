// A module for Python that makes, takes, returns and keeps owners. test_nanobind.py uses it.

#include <freehold/interop/nanobind.hpp>

#include <thread>
#include <utility>

#include <freehold/pointers/biased_shared_ptr.hpp>
#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/weak_ptr.hpp>

namespace nb = nanobind;

namespace {

struct account {
    explicit account(int initial = 0) : balance(initial) { ++living; }
    account(const account&) = delete;
    account& operator=(const account&) = delete;
    ~account() { --living; }

    int balance;
    static inline int living = 0;
};

struct member : freehold::enable_shared_from_this<member> {
    freehold::shared_ptr<account> own = nullptr;
};

freehold::shared_ptr<account> kept;
freehold::shared_ptr<member> kept_member;

}  // namespace

NB_MODULE(bank, module) {
    nb::class_<account>(module, "Account", nb::dynamic_attr())
        .def(nb::init<int>(), nb::arg("balance") = 0)
        .def_rw("balance", &account::balance);
    nb::class_<member>(module, "Member")
        .def(nb::init<>())
        .def_rw("own", &member::own, nb::arg().none())
        .def("itself", [](member& self) { return self.shared_from_this(); });

    module.def("living", [] { return account::living; });
    module.def("make", [](int balance) { return freehold::make_shared<account>(balance); });
    module.def("make_const", [] { return freehold::shared_ptr<const account>(freehold::make_shared<account>(3)); });
    module.def("make_biased", [] { return freehold::make_biased_shared<account>(4); });
    module.def("balance", [](const freehold::shared_ptr<const account>& of) { return of->balance; });
    module.def("biased_balance", [](const freehold::biased_shared_ptr<account>& of) { return of->balance; });
    module.def("is_empty", [](const freehold::shared_ptr<account>& one) { return !one; }, nb::arg().none());
    module.def("owners", [](const freehold::shared_ptr<account>& one) { return one.use_count(); });

    module.def("keep", [](freehold::shared_ptr<account> one) { kept = std::move(one); });
    module.def("keep_new", [] { kept = freehold::make_shared<account>(7); });
    module.def("kept", [] { return kept; });
    module.def("owners_of_kept", [] { return kept.use_count(); });
    module.def("forget", [] { kept.reset(); });
    module.def(
        "forget_in_a_thread", [] { std::thread([] { kept.reset(); }).join(); },
        nb::call_guard<nb::gil_scoped_release>());

    module.def("make_member", [] { return freehold::make_shared<member>(); });
    module.def("keep_member", [](freehold::shared_ptr<member> one) { kept_member = std::move(one); });
    module.def("owners_of_member", [](const freehold::shared_ptr<member>& one) { return one.use_count(); });
    module.def("forget_member", [] { kept_member.reset(); });
}
