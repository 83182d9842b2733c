// expect: deleted
// at most 1 lines: the compiler writes more about this.
struct once {
    once() = default;
    once(const once&) = delete;
};

int main() {
    once source;
    once copy = source;
}
