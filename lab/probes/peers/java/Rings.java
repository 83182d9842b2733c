import java.util.List;
import java.util.function.IntUnaryOperator;

/** rings, translated directly. */
final class Rings {
    private static final int RING_SIZE = 10;

    private static final Workload.Series CURSOR = new Workload.Series("cursor", Extents.RINGS, new Cursor());
    private static final Workload.Series FEW =
            new Workload.Series("churn, few live", Extents.RINGS, new Churn(nodes -> 8));
    private static final Workload.Series A_TENTH =
            new Workload.Series("churn, a tenth lives", Extents.RINGS, new Churn(nodes -> nodes / RING_SIZE / 10));

    static final Workload WORKLOAD = new Workload("rings", List.of(CURSOR, FEW, A_TENTH),
            () -> FEW.found + 3 * A_TENTH.found + 7 * CURSOR.found);

    private static final class Node {
        final int number;
        Node next;

        Node(int number, Node next) {
            this.number = number;
            this.next = next;
        }
    }

    /** Returns the first of `nodes` nodes, which are numbered from `number` on. */
    private static Node make(int nodes, int number) {
        Node last = new Node(number + nodes - 1, null);
        Node first = last;
        for (int i = nodes - 2; i >= 0; --i) {
            first = new Node(number + i, first);
        }
        last.next = first;
        return first;
    }

    private record Churn(IntUnaryOperator living) implements Workload.Program {
        @Override
        public long run(int nodes) {
            Node[] rings = new Node[living.applyAsInt(nodes)];
            long sum = 0;
            for (int made = 0; made < nodes; made += RING_SIZE) {
                Node first = make(RING_SIZE, made);
                rings[made / RING_SIZE % rings.length] = first;
                sum += first.number;
            }
            return sum;
        }
    }

    private static final class Cursor implements Workload.Program {
        private Node living;

        @Override
        public void prepare(int steps) {
            living = make(Math.min(steps, 1_000_000), 0);
        }

        @Override
        public long run(int steps) {
            Node at = living;
            long sum = 0;
            for (; steps > 0; --steps) {
                sum += at.number;
                at = at.next;
            }
            return sum;
        }

        @Override
        public void finish() {
            living = null;
        }
    }
}
