/** gcbench, translated directly. */
final class Gcbench implements Workload.Program {
    static final Workload WORKLOAD =
            Workload.of("gcbench", new Workload.Series("trees and array", Extents.GCBENCH, new Gcbench()));

    private static final int LEAST_DEPTH = 4;

    private static final class Node {
        Node left;
        Node right;
        int i;
        int j;

        Node(Node left, Node right) {
            this.left = left;
            this.right = right;
        }
    }

    @Override
    public long run(int depth) {
        long levels = levelsOf(fromTheLeaves(stretching(depth)));
        Node longLived = fromTheRoot(depth);
        double[] array = doubles(depth);
        for (int low = LEAST_DEPTH; low <= depth; low += 2) {
            for (int pairs = 2 * nodesOf(stretching(depth)) / nodesOf(low); pairs > 0; --pairs) {
                levels += levelsOf(fromTheRoot(low));
                levels += levelsOf(fromTheLeaves(low));
            }
        }
        return levels + count(longLived) + digest(array);
    }

    private static int nodesOf(int depth) {
        return (2 << depth) - 1;
    }

    private static int stretching(int depth) {
        return depth + 2;
    }

    private static Node fromTheRoot(int depth) {
        Node root = new Node(null, null);
        populate(root, depth);
        return root;
    }

    private static void populate(Node root, int depth) {
        if (depth > 0) {
            root.left = new Node(null, null);
            root.right = new Node(null, null);
            populate(root.left, depth - 1);
            populate(root.right, depth - 1);
        }
    }

    private static Node fromTheLeaves(int depth) {
        return depth == 0 ? new Node(null, null) : new Node(fromTheLeaves(depth - 1), fromTheLeaves(depth - 1));
    }

    private static long levelsOf(Node root) {
        return root.left == null ? 1 : 1 + levelsOf(root.left);
    }

    private static long count(Node root) {
        return root.left == null ? 1 : 1 + count(root.left) + count(root.right);
    }

    private static double[] doubles(int depth) {
        double[] made = new double[8 << depth];
        for (int i = 1; i < made.length / 2; ++i) {
            made[i] = 1.0 / i;
        }
        return made;
    }

    private static long digest(double[] doubles) {
        long found = 0;
        for (int i = 1; i < doubles.length / 2; ++i) {
            found += doubles[i] == 1.0 / i ? 1 : 0;
        }
        return found;
    }
}
