import java.util.List;

/** subtrees, translated directly. */
final class Subtrees implements Workload.Program {
    private static final List<Workload.Series> PLOT =
            OperationTimes.with("replace", Extents.SUBTREES, new Subtrees());

    static final Workload WORKLOAD = new Workload("subtrees", PLOT, () -> PLOT.get(0).found);

    private static final int NODES_FOR_ONE_REPLACED = 4;
    private static final int LEVELS_OF_A_SUBTREE = 4;

    private static final class Node {
        final int number;
        Node left;
        Node right;

        Node(int number, Node left, Node right) {
            this.number = number;
            this.left = left;
            this.right = right;
        }
    }

    private int made;
    private Node living;

    /** The tree is old when subtrees are replaced. */
    @Override
    public void prepare(int nodes) {
        made = 0;
        living = grow(levelsOf(nodes));
        System.gc();
    }

    @Override
    public long run(int nodes) {
        RandomNumbers random = new RandomNumbers();
        long sum = 0;
        OperationTimes times = new OperationTimes(nodes / NODES_FOR_ONE_REPLACED);
        for (int operations = nodes / NODES_FOR_ONE_REPLACED; operations > 0; --operations) {
            sum += replace(nodes, random);
            times.done();
        }
        times.keep(nodes);
        return sum;
    }

    @Override
    public void finish() {
        living = null;
    }

    private static int levelsOf(int nodes) {
        return Integer.numberOfTrailingZeros(nodes + 1);
    }

    private int replace(int nodes, RandomNumbers random) {
        Node fresh = grow(LEVELS_OF_A_SUBTREE);
        Node above = living;
        for (int levels = levelsOf(nodes) - 1; levels > LEVELS_OF_A_SUBTREE; --levels) {
            above = random.below(2) == 0 ? above.left : above.right;
        }
        Node old;
        if (random.below(2) == 0) {
            old = above.left;
            above.left = fresh;
        } else {
            old = above.right;
            above.right = fresh;
        }
        return old.number;
    }

    private Node grow(int levels) {
        if (levels == 0) {
            return null;
        }
        int number = made++;
        Node left = grow(levels - 1);
        return new Node(number, left, grow(levels - 1));
    }
}
