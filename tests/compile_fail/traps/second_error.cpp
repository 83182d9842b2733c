// expect: deleted
// What is expected is not the first error.
struct once {
    once() = default;
    once(const once&) = delete;
};

int main() {
    once source;
    undeclared();
    once copy = source;
}
