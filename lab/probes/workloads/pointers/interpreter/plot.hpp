#pragma once
// interpreter: a small Lisp walks the tree of its program, which is evaluated `x` times: recursive functions, lists and
// counters. Environments are linked frames, and a recursive function is in a cycle with the frame that names it.

#include <cstdint>
#include <string_view>

#include "registry/extents.hpp"
#include "workloads/program.hpp"

namespace lab::interpreter {

inline constexpr std::string_view text =
    "(letrec fib (lambda (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))"
    "(letrec upto (lambda (n) (if (= n 0) nil (cons n (upto (- n 1)))))"
    "(letrec map (lambda (f l) (if (null l) nil (cons (f (first l)) (map f (rest l)))))"
    "(letrec fold (lambda (f start l) (if (null l) start (f (first l) (fold f start (rest l)))))"
    "(letrec counter (lambda (n) (letrec count (lambda (i) (if (= i 0) n (count (- i 1)))) count))"
    "(+ (fib 12) (fold (lambda (x y) (+ x y)) 0 (map (lambda (x) ((counter x) 5)) (upto 50)))))))))";

enum operation : long { plus, minus, less, equal, cons, first, rest, null };
inline constexpr std::string_view operations[] = {"+", "-", "<", "=", "cons", "first", "rest", "null"};

enum class form { constant, variable, choice, lambda, letrec, call, argument };
enum class kind { number, pair, nil, closure, primitive };

// Form names field<T>, a pointer in an object.
template <class Form>
struct code {
    using field = typename Form::template field<code>;

    form is;
    long value = 0;  // a constant, or a name
    field a = {};    // test; body of a lambda; value of a letrec; function; expression of an argument
    field b = {};    // then; parameters; first argument; next argument or parameter
    field c = {};    // else; body of a letrec
};

template <class Form>
struct frame;

template <class Form>
struct object {
    kind is;
    long value = 0;
    typename Form::template field<object> first = {};
    typename Form::template field<object> rest = {};
    typename Form::template field<code<Form>> body = {};
    typename Form::template field<frame<Form>> scope = {};
};

template <class Form>
struct frame {
    long name;
    typename Form::template field<object<Form>> value = {};
    typename Form::template field<frame> outer = {};
};

template <class Program>
struct evaluated {
    static constexpr series plot[] = {program<extents, Program>::as("evaluations")};

    static std::uint64_t checksum() { return program<extents, Program>::found; }
};

}  // namespace lab::interpreter
