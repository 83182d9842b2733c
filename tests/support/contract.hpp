#pragma once
// CONTRACT(suite, property) { … }: one test of a suite for each implementation that must pass it.
//
// Does what TYPED_TEST does with half the time of compilation, which counts where tests times implementations are
// hundreds: GoogleTest makes classes and a registration of each, this makes one function. In the body, TypeParam is
// what tells of the implementation, and TestFixture is suite<TypeParam>, whose static members the body may use.

#include <gtest/gtest.h>

#include <string>

namespace support {

// The implementations that a suite is for: specialized beside the suite's fixture, with a member `types`, which is
// testing::Types<…>. Each of the types has a `name`.
template <template <class> class Suite>
struct implementations;

// Names the tests of a TYPED_TEST_SUITE by their implementations, for suites of a single file.
struct implementation_name {
    template <class Implementation>
    static std::string GetName(int) {
        return Implementation::name;
    }
};

template <class Fixture>
class contract_test : public Fixture {
public:
    explicit contract_test(void (*body)()) : body_(body) {}

private:
    void TestBody() override { body_(); }

    void (*body_)();
};

template <template <class> class Suite, class Implementation>
void register_contract(const char* suite, const char* property, const char* file, int line, void (*body)()) {
    using fixture = Suite<Implementation>;
    const std::string name = std::string(suite) + "/" + Implementation::name;
    testing::RegisterTest(name.c_str(), property, nullptr, nullptr, file, line,
                          [body]() -> fixture* { return new contract_test<fixture>(body); });
}

// Returns true. Body<Implementation>::run is the test.
template <template <class> class Suite, template <class> class Body, class... Implementations>
bool register_contracts(testing::Types<Implementations...>, const char* suite, const char* property, const char* file,
                        int line) {
    (register_contract<Suite, Implementations>(suite, property, file, line, &Body<Implementations>::run), ...);
    return true;
}

}  // namespace support

#define CONTRACT(suite, property)                                                                        \
    template <class Implementation>                                                                      \
    struct suite##_##property : suite<Implementation> {                                                  \
        using TestFixture = suite<Implementation>;                                                       \
        using TypeParam = Implementation;                                                                \
        static void run();                                                                               \
    };                                                                                                   \
    const bool suite##_##property##_registered = support::register_contracts<suite, suite##_##property>( \
        support::implementations<suite>::types(), #suite, #property, __FILE__, __LINE__);                \
    template <class Implementation>                                                                      \
    void suite##_##property<Implementation>::run()
