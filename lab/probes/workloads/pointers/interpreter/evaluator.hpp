#pragma once
// Evaluates a program. Intermediate results have names, as people write them.

#include <cstdint>
#include <iterator>
#include <utility>

#include "reader.hpp"
#include "workloads/pointers/address.hpp"

namespace lab::interpreter {

// Form names, beside what the reader needs, view<T>: how a function takes an object that its caller keeps.
template <class Form>
class evaluator {
    template <class T>
    using owner = typename Form::template owner<T>;
    template <class T>
    using view = typename Form::template view<T>;

    using node = code<Form>;
    using value = object<Form>;
    using scope = frame<Form>;

public:
    explicit evaluator(Form& made_in)
        : form_(made_in), program_(reader_.read(text)), nil_(make<value>(kind::nil)), globals_(make_globals()) {}

    std::uint64_t run(int times) {
        std::uint64_t sum = 0;
        for (; times > 0; --times) {
            const owner<value> found = evaluate(program_, globals_);
            sum += static_cast<std::uint64_t>(found->value);
        }
        return sum;
    }

private:
    template <class T>
    owner<T> make(auto&&... arguments) {
        return form_.template make<T>(arguments...);
    }

    owner<scope> make_globals() {
        owner<scope> all = make<scope>(reader_.intern("nil"), nil_);
        for (long number = 0; number < static_cast<long>(std::size(operations)); ++number) {
            const owner<value> made = make<value>(kind::primitive, number);
            all = make<scope>(reader_.intern(operations[number]), made, all);
        }
        return all;
    }

    owner<value> evaluate(view<node> code, view<scope> env) {
        switch (code->is) {
            case form::constant: return make<value>(kind::number, code->value);
            case form::variable: return find(code->value, env);
            case form::choice: {
                const owner<value> test = evaluate(code->a, env);
                return evaluate(is_true(*test) ? code->b : code->c, env);
            }
            case form::lambda: return make<value>(kind::closure, 0, nullptr, nullptr, code, env);
            case form::letrec: {
                const owner<scope> inner = make<scope>(code->value, nullptr, env);
                inner->value = evaluate(code->a, inner);  // a cycle: closure, frame, closure
                return evaluate(code->c, inner);
            }
            default: return call(code, env);
        }
    }

    owner<value> call(view<node> code, view<scope> env) {
        const owner<value> function = evaluate(code->a, env);
        const node* argument = address(code->b);
        if (function->is == kind::primitive) {
            const owner<value> one = evaluate(argument->a, env);
            const node* const second = address(argument->b);
            const owner<value> two = second ? evaluate(second->a, env) : owner<value>(nil_);
            return apply(function->value, one, two);
        }
        owner<scope> inner = function->scope;
        for (const node* name = address(function->body->b); name; name = address(name->b)) {
            const owner<value> given = evaluate(argument->a, env);
            inner = make<scope>(name->value, given, inner);
            argument = address(argument->b);
        }
        return evaluate(function->body->a, inner);
    }

    owner<value> apply(long primitive, view<value> one, view<value> two) {
        switch (primitive) {
            case plus: return make<value>(kind::number, one->value + two->value);
            case minus: return make<value>(kind::number, one->value - two->value);
            case less: return make<value>(kind::number, long{one->value < two->value});
            case equal: return make<value>(kind::number, long{one->value == two->value});
            case cons: return make<value>(kind::pair, 0, one, two);
            case first: return one->first;
            case rest: return one->rest;
            default: return make<value>(kind::number, long{one->is == kind::nil});
        }
    }

    static owner<value> find(long name, view<scope> env) {
        const scope* at = address(env);
        while (at->name != name) {
            at = address(at->outer);
        }
        return at->value;
    }

    static bool is_true(const value& tested) { return tested.is != kind::number || tested.value != 0; }

    Form& form_;
    reader<Form> reader_{form_};
    owner<node> program_;
    owner<value> nil_;
    owner<scope> globals_;
};

}  // namespace lab::interpreter
