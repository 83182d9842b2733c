/** Numbers that look random and are the same in every language: those of std::minstd_rand. */
final class RandomNumbers {
    private long state = 1;

    long next() {
        state = state * 48_271 % 2_147_483_647;
        return state;
    }

    int below(int n) {
        return (int) (next() % n);
    }
}
