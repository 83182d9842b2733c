#pragma once
// Reads the text of a program.

#include <algorithm>
#include <string_view>
#include <vector>

#include "plot.hpp"

namespace lab::interpreter {

// Form names owner<T>, a variable that keeps an object, and make<T>(arguments...), which returns one.
template <class Form>
class reader {
    using node = code<Form>;
    using owner = typename Form::template owner<node>;

public:
    explicit reader(Form& made_in) : form_(made_in) {}

    // Returns the number of a name.
    long intern(std::string_view name) {
        const auto known = std::find(names_.begin(), names_.end(), name);
        const long number = known - names_.begin();
        if (known == names_.end()) {
            names_.push_back(name);
        }
        return number;
    }

    owner read(std::string_view whole) {
        left_ = whole;
        return read();
    }

private:
    owner read() {
        const std::string_view word = next_word();
        if (word != "(") {
            return is_digit(word[0]) ? make(form::constant, number(word)) : make(form::variable, intern(word));
        }
        const std::string_view before = left_;
        const std::string_view head = next_word();
        if (head == "if") {
            const owner test = read();
            const owner yes = read();
            const owner no = read();
            next_word();
            return make(form::choice, 0, test, yes, no);
        }
        if (head == "lambda") {
            next_word();
            const owner names = read_names();
            const owner body = read();
            next_word();
            return make(form::lambda, 0, body, names);
        }
        if (head == "letrec") {
            const long name = intern(next_word());
            const owner value = read();
            const owner body = read();
            next_word();
            return make(form::letrec, name, value, nullptr, body);
        }
        left_ = before;
        const owner function = read();
        const owner arguments = read_arguments();
        return make(form::call, 0, function, arguments);
    }

    owner read_names() {
        const std::string_view word = next_word();
        if (word == ")") {
            return nullptr;
        }
        const long name = intern(word);
        const owner others = read_names();
        return make(form::argument, name, nullptr, others);
    }

    owner read_arguments() {
        const std::string_view before = left_;
        if (next_word() == ")") {
            return nullptr;
        }
        left_ = before;
        const owner first = read();
        const owner others = read_arguments();
        return make(form::argument, 0, first, others);
    }

    owner make(auto&&... arguments) { return form_.template make<node>(arguments...); }

    std::string_view next_word() {
        left_.remove_prefix(left_.find_first_not_of(' '));
        const bool is_bracket = left_[0] == '(' || left_[0] == ')';
        const std::string_view word = left_.substr(0, is_bracket ? 1 : left_.find_first_of(" ()"));
        left_.remove_prefix(word.size());
        return word;
    }

    static bool is_digit(char letter) { return '0' <= letter && letter <= '9'; }

    static long number(std::string_view word) {
        long found = 0;
        for (const char digit : word) {
            found = 10 * found + (digit - '0');
        }
        return found;
    }

    Form& form_;
    std::string_view left_;
    std::vector<std::string_view> names_;
};

}  // namespace lab::interpreter
