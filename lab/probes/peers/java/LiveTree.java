import java.util.List;

/** live-tree, translated directly. */
final class LiveTree implements Workload.Program {
    private static final int NODES_FOR_ONE_STORED = 16;

    private static final Workload.Series ALLOCATE =
            new Workload.Series("allocate", Extents.LIVE_TREE, new LiveTree(false));
    private static final Workload.Series STORE = new Workload.Series("store", Extents.LIVE_TREE, new LiveTree(true));

    static final Workload WORKLOAD =
            new Workload("live-tree", List.of(ALLOCATE, STORE), () -> ALLOCATE.found + 3 * STORE.found);

    private static final class Node {
        final int number;
        final Node left;
        final Node right;
        Node stored;

        Node(int number, Node left, Node right) {
            this.number = number;
            this.left = left;
            this.right = right;
        }
    }

    private final boolean stores;
    private Node living;
    private Node young; // a field, or there would be no allocation

    private LiveTree(boolean stores) {
        this.stores = stores;
    }

    /** The tree is old when the others are made. */
    @Override
    public void prepare(int nodes) {
        living = grow(nodes);
        System.gc();
    }

    @Override
    public long run(int nodes) {
        RandomNumbers random = new RandomNumbers();
        long sum = 0;
        for (int made = 1; made <= Math.min(nodes, 1_000_000); ++made) {
            young = new Node(made, null, null);
            sum += young.number;
            if (stores && made % NODES_FOR_ONE_STORED == 0) {
                Node leaf = randomLeaf(living, random.next());
                sum += leaf.stored == null ? 0 : leaf.stored.number;
                leaf.stored = young;
            }
        }
        return sum;
    }

    @Override
    public void finish() {
        living = null;
        young = null;
    }

    private static Node grow(int nodes) {
        if (nodes == 0) {
            return null;
        }
        int left = (nodes - 1) / 2;
        return new Node(0, grow(left), grow(nodes - 1 - left));
    }

    /** Returns the leaf below the root at the end of a random way. */
    private static Node randomLeaf(Node root, long way) {
        for (; root.right != null; way /= 2) {
            root = way % 2 != 0 && root.left != null ? root.left : root.right;
        }
        return root;
    }
}
