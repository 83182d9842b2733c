// An interpreter for a small Lisp. Its expressions, functions and variables point to each other in any way.
// They are on a traced_heap: a recursive function is a cycle, and each call makes short-lived objects.
// Look at the handles: traced_ptr in objects, traced_view for parameters, traced_local for roots on the stack.

#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_root.hpp>
#include <freehold/traced/traced_view.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

struct object {
    enum kind { number, name, list, function } is;
    long value = 0;
    std::string_view text = {};                    // of a name: a part of the program, which must outlive it
    freehold::traced_ptr<object> first = nullptr;  // of a list; the value of a variable; a function's code
    freehold::traced_ptr<object> rest = nullptr;   // of a list; the next variable; the variables of a function
};
using local = freehold::traced_local<object>;
using view = freehold::traced_view<object>;

class interpreter {
public:
    explicit interpreter(const freehold::traced_heap_options& options) : heap_(options) {}

    // Evaluates definitions up to the first other expression. Returns: its value. Requires: the program is well-formed.
    long run(std::string_view program) {
        while (const local line = parse(program)) {
            if (line->first->text != "define") return evaluate(line, variables_)->value;
            variables_ = heap_.make<object>(object::name, 0, line->rest->first->text, nullptr, variables_);
            variables_->first = evaluate(line->rest->rest->first, variables_);  // a function leads to itself
        }
        throw std::runtime_error("nothing to evaluate");
    }

private:
    local parse(std::string_view& text) {
        text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
        const std::string_view word = text.substr(0, std::max<std::size_t>(text.find_first_of(" \n()"), 1));
        text.remove_prefix(word.size());
        if (word.empty() || word == ")") return nullptr;
        if (word == "(") return parse_list(text);
        if (std::isdigit(static_cast<unsigned char>(word[0]))) {
            return heap_.make<object>(object::number, std::stol(std::string(word)));
        }
        return heap_.make<object>(object::name, 0, word);
    }

    local parse_list(std::string_view& text) {
        const local first = parse(text);  // a root while the rest is made
        return first ? heap_.make<object>(object::list, 0, "", first, parse_list(text)) : nullptr;
    }

    // Its arguments need roots: any call may collect.
    local evaluate(view expression, view variables) {
        if (expression->is == object::name) return find(expression->text, variables);
        if (expression->is != object::list) return expression;
        const std::string_view operation = expression->first->text;
        const view operands = expression->rest;
        if (operation == "lambda") return heap_.make<object>(object::function, 0, "", operands, variables);
        const local a = evaluate(operands->first, variables);
        if (operation == "if") {
            const view chosen = a->value != 0 ? operands->rest : operands->rest->rest;
            return evaluate(chosen->first, variables);
        }
        if (operation.find_first_of("+-<") == 0) {
            const long b = evaluate(operands->rest->first, variables)->value;
            return heap_.make<object>(object::number, operation == "+"   ? a->value + b
                                                      : operation == "-" ? a->value - b
                                                                         : a->value < b);
        }
        return call(evaluate(expression->first, variables), a);
    }

    // Every function has one parameter.
    local call(view function, view argument) {
        const view parameter = function->first->first->first;
        const local inner = heap_.make<object>(object::name, 0, parameter->text, argument, function->rest);
        return evaluate(function->first->rest->first, inner);
    }

    static local find(std::string_view name, view variables) {
        while (variables && variables->text != name) variables = variables->rest;
        return variables ? variables->first : throw std::runtime_error("unknown name: " + std::string(name));
    }

    freehold::traced_heap heap_;
    freehold::traced_root<object> variables_;
};

}  // namespace

int main() {
    int collections = 0;
    freehold::traced_heap_options options;
    options.nursery_bytes = 64 * 1024;
    options.on_collection = [&](const freehold::traced_collection&) { ++collections; };
    const long result = interpreter(options).run(
        "(define fib (lambda (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))))\n"
        "(define adder (lambda (n) (lambda (m) (+ n m))))\n"
        "((adder 1000) (fib 15))");
    options.collect_at_every_allocation = true;  // with AddressSanitizer, this finds a missing root
    const long tested = interpreter(options).run("(define add (lambda (n) (lambda (m) (+ n m)))) ((add 40) 2)");

    std::printf("%ld and %ld after %d collections\n", result, tested, collections);
    return result == 1610 && tested == 42 && collections > 0 ? 0 : 1;
}
