// Freehold in a program that is compiled with -fno-rtti: deleters are found all the same, and blocks have their names.

#include <freehold/freehold.hpp>

#include <cstring>
#include <memory>
#include <utility>

#include "check.hpp"

#ifdef __cpp_rtti
#error "This program must be compiled without run-time type information."
#endif

namespace {

struct base {
    virtual ~base() = default;
    int value = 7;
};
struct derived : base {};
struct named {};

struct deleter {
    void operator()(const base* object) const { delete object; }
};
struct same_in_all_but_name {
    void operator()(const base* object) const { delete object; }
};

template <class Pointer>
void check_name(const Pointer& p) {
    const char* const name = freehold::detail::access::handle(p).block()->kind()->name;
    CHECK(std::strncmp(name, "freehold block 1: ", 18) == 0);
    CHECK(std::strcmp(name + std::strlen(name) - std::strlen("::named"), "::named") == 0);
}

template <class Pointer>
void check_deleter(const Pointer& p) {
    CHECK(freehold::get_deleter<deleter>(p) != nullptr);
    CHECK(freehold::get_deleter<const deleter>(p) == freehold::get_deleter<deleter>(p));
    CHECK(freehold::get_deleter<same_in_all_but_name>(p) == nullptr);
    CHECK(freehold::get_deleter<deleter*>(p) == nullptr);
}

}  // namespace

int main() {
    const freehold::shared_ptr<derived> p(new derived, deleter());
    check_deleter(p);
    check_deleter(freehold::shared_ptr<base>(p));
    check_deleter(freehold::shared_ptr<int>(p, &p->value));
    check_deleter(freehold::local_shared_ptr<base>(new derived, deleter()));
    check_deleter(freehold::biased_shared_ptr<base>(new derived, deleter()));
    check_deleter(freehold::shared_ptr<base>(std::unique_ptr<derived, deleter>(new derived)));
    check_deleter(freehold::shared_ptr<base>(freehold::managed_ptr<base>(p)));
    CHECK(freehold::get_deleter<deleter>(freehold::make_shared<derived>()) == nullptr);
    CHECK(freehold::get_deleter<deleter>(freehold::shared_ptr<base>(new derived)) == nullptr);
    CHECK(freehold::static_pointer_cast<derived>(freehold::shared_ptr<base>(p)) == p);

    const auto array = freehold::make_shared<int[]>(10, 7);
    CHECK(array[9] == 7);
    const auto thin = freehold::make_thin<derived>();
    CHECK(freehold::shared_ptr<base>(thin)->value == 7);

    check_name(freehold::make_shared<named>());
    check_name(freehold::shared_ptr<named>(new named));
    check_name(freehold::make_biased_shared<named[]>(2));
    check_name(freehold::make_sharded_shared<named>());
    check_name(freehold::make_local_shared<named>());
}
