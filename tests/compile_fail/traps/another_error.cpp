// expect: deleted
// The compiler refuses this for another reason, and quotes a line that matches what is expected.
struct once {
    once() = default;
    once(const once&) = delete;
};

int main() {
    once source;
    once deleted = undeclared;
}
