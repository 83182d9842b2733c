import java.util.List;

/** binary-trees, translated directly: the same program in both styles. */
final class BinaryTrees implements Workload.Program {
    private static final List<Workload.Series> PLOT = List.of(
            new Workload.Series("trees", Extents.BINARY_TREES, new BinaryTrees()),
            new Workload.Series("trees, copied", Extents.BINARY_TREES, new BinaryTrees()));

    static final Workload WORKLOAD = new Workload("binary-trees", PLOT, () -> PLOT.get(0).found);

    private static final int LEAST_DEPTH = 4;

    private record Node(Node left, Node right) {}

    @Override
    public long run(int depth) {
        Node longLived = grow(depth);
        long nodes = 0;
        for (int low = LEAST_DEPTH; low <= depth; low += 2) {
            for (int trees = 1 << (depth - low + LEAST_DEPTH); trees > 0; --trees) {
                nodes += count(grow(low));
            }
        }
        return nodes + count(longLived);
    }

    private static Node grow(int depth) {
        return depth == 0 ? new Node(null, null) : new Node(grow(depth - 1), grow(depth - 1));
    }

    private static long count(Node root) {
        return root.left == null ? 1 : 1 + count(root.left) + count(root.right);
    }
}
