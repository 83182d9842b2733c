// expect: deleted
// Nothing is wrong here except a warning, whose quoted line matches what is expected.
#warning deleted
int main() {}
