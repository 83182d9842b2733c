import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** document-tree, translated directly: the same program in both series. */
final class DocumentTree implements Workload.Program {
    private static final List<Workload.Series> OWNED =
            OperationTimes.with("parents owned", Extents.DOCUMENT_TREE, new DocumentTree());
    private static final List<Workload.Series> OBSERVED =
            OperationTimes.with("parents observed", Extents.DOCUMENT_TREE, new DocumentTree());

    static final Workload WORKLOAD = new Workload("document-tree",
            Stream.concat(OWNED.stream(), OBSERVED.stream()).toList(),
            () -> OWNED.get(0).found + 3 * OBSERVED.get(0).found);

    private static final int CHILDREN_OF_THE_ROOT = 6;
    private static final int CHILDREN_OF_A_NODE = 4;
    private static final int HIGHEST_CLIMB = 3;

    private static final class Node {
        final String text;
        final List<Node> children;
        Node parent;

        Node(int number, int children) {
            text = Integer.toString(number);
            this.children = new ArrayList<>(children);
        }
    }

    private RandomNumbers random;
    private long sum;
    private int made;
    private Node root;

    @Override
    public long run(int nodes) {
        random = new RandomNumbers();
        sum = 0;
        made = 0;
        root = grow(Integer.numberOfTrailingZeros(nodes / 2 + 1) / 2, CHILDREN_OF_THE_ROOT);
        OperationTimes times = new OperationTimes(nodes / 2);
        for (int operations = nodes / 2; operations > 0; --operations) {
            edit();
            times.done();
        }
        times.keep(nodes);
        readAll(root);
        root = null;
        return sum;
    }

    private void edit() {
        switch (random.below(8)) {
            case 0 -> readUpwards();
            case 1, 2 -> exchange();
            default -> replace();
        }
    }

    private void readUpwards() {
        for (Node at = randomLeaf(); at != null; at = at.parent) {
            read(at);
        }
    }

    private void exchange() {
        int height = randomHeight();
        Node one = climb(randomLeaf(), height);
        Node other = climb(randomLeaf(), height);
        Node aboveOne = one.parent;
        Node aboveOther = other.parent;
        int placeOfOne = aboveOne.children.indexOf(one);
        int placeOfOther = aboveOther.children.indexOf(other);
        aboveOne.children.set(placeOfOne, other);
        aboveOther.children.set(placeOfOther, one);
        one.parent = aboveOther;
        other.parent = aboveOne;
    }

    private void replace() {
        int height = randomHeight();
        Node old = climb(randomLeaf(), height);
        Node above = old.parent;
        Node fresh = grow(height, CHILDREN_OF_A_NODE);
        fresh.parent = above;
        above.children.set(above.children.indexOf(old), fresh);
    }

    private Node grow(int height, int children) {
        Node grown = new Node(made++, height > 0 ? children : 0);
        for (int i = 0; height > 0 && i < children; ++i) {
            Node child = grow(height - 1, CHILDREN_OF_A_NODE);
            child.parent = grown;
            grown.children.add(child);
        }
        return grown;
    }

    private void read(Node node) {
        sum += node.text.charAt(node.text.length() - 1);
    }

    private void readAll(Node top) {
        read(top);
        top.children.forEach(this::readAll);
    }

    private Node randomLeaf() {
        Node at = root;
        while (!at.children.isEmpty()) {
            at = at.children.get(random.below(at.children.size()));
        }
        return at;
    }

    private int randomHeight() {
        int height = 0;
        while (height < HIGHEST_CLIMB && random.below(2) == 1) {
            ++height;
        }
        return height;
    }

    private static Node climb(Node at, int levels) {
        for (; levels > 0; --levels) {
            at = at.parent;
        }
        return at;
    }
}
