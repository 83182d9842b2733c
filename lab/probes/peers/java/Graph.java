/** graph, translated directly. */
final class Graph implements Workload.Program {
    static final Workload WORKLOAD =
            Workload.of("graph", new Workload.Series("edges rewired", Extents.GRAPH, new Graph()));

    private static final int EDGES_OF_A_NODE = 4;
    private static final int REWIRED_FOR_EACH_NODE = 32;
    private static final int REWIRED_FOR_TWO_REPLACED = 32;

    /** An array would be another object. */
    private static final class Node {
        final int number;
        Node first;
        Node second;
        Node third;
        Node fourth;

        Node(int number) {
            this.number = number;
        }

        Node behind(int edge) {
            return switch (edge) {
                case 0 -> first;
                case 1 -> second;
                case 2 -> third;
                default -> fourth;
            };
        }

        void lead(int edge, Node to) {
            switch (edge) {
                case 0 -> first = to;
                case 1 -> second = to;
                case 2 -> third = to;
                default -> fourth = to;
            }
        }
    }

    private Node[] places;
    private RandomNumbers random;
    private int made;

    @Override
    public long run(int nodes) {
        places = new Node[nodes];
        random = new RandomNumbers();
        made = 0;
        for (int place = 0; place < nodes; ++place) {
            places[place] = new Node(made++);
        }
        for (int place = 0; place < nodes; ++place) {
            connect(place);
        }
        long sum = 0;
        for (int rewired = 1; rewired <= nodes * REWIRED_FOR_EACH_NODE; ++rewired) {
            int place = randomPlace();
            int edge = random.below(EDGES_OF_A_NODE);
            sum += places[place].behind(edge).number;
            places[place].lead(edge, places[randomPlace()]);
            if (rewired % REWIRED_FOR_TWO_REPLACED == 0) {
                replaceTwo();
            }
        }
        places = null;
        return sum;
    }

    private void replaceTwo() {
        int one = randomPlace();
        int other = randomPlace();
        for (int edge = 0; edge < EDGES_OF_A_NODE; ++edge) {
            places[one].lead(edge, places[other]);
            places[other].lead(edge, places[one]);
        }
        for (int place : new int[] {one, other}) {
            places[place] = new Node(made++);
            connect(place);
        }
    }

    private void connect(int place) {
        for (int edge = 0; edge < EDGES_OF_A_NODE; ++edge) {
            places[place].lead(edge, places[randomPlace()]);
        }
    }

    private int randomPlace() {
        return random.below(places.length);
    }
}
