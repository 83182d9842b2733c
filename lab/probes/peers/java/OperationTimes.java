import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How long the operations of a program take: each, and each hundred in a row. Both are times that pass, because the
 * collector works in other threads.
 */
final class OperationTimes {
    private static final int HUNDRED = 100;
    private static final String[] FIGURES = {"p50", "p99", "p99.9", "max"};
    private static final double[] PARTS = {0.5, 0.99, 0.999, 1};

    /** Of the last run at each x. */
    private static final Map<Integer, OperationTimes> KEPT = new HashMap<>();

    private final long[] ones;
    private int done = 0;
    private long last = System.nanoTime();

    OperationTimes(int operations) {
        ones = new long[operations];
    }

    void done() {
        long now = System.nanoTime();
        ones[done++] = now - last;
        last = now;
    }

    /** Begins an operation that does not follow the one before it. */
    void start() {
        last = System.nanoTime();
    }

    /** Adds the operations of another thread. */
    void add(OperationTimes other) {
        System.arraycopy(other.ones, 0, ones, done, other.done);
        done += other.done;
    }

    void keep(int x) {
        KEPT.put(x, this);
    }

    /** Returns the series of a program, and those that tell how long its operations took in its run before them. */
    static List<Workload.Series> with(String name, List<Workload.Extent> extents, Workload.Program program) {
        return plot(name, extents, program, 1, HUNDRED);
    }

    /** The same without hundreds. */
    static List<Workload.Series> ofEach(String name, List<Workload.Extent> extents, Workload.Program program) {
        return plot(name, extents, program, 1);
    }

    private static List<Workload.Series> plot(
            String name, List<Workload.Extent> extents, Workload.Program program, int... groups) {
        List<Workload.Series> plot = new ArrayList<>();
        plot.add(new Workload.Series(name, extents, program));
        for (int group : groups) {
            for (int i = 0; i < PARTS.length; ++i) {
                double part = PARTS[i];
                String figure = name + (group == 1 ? ", one, " : ", hundred, ") + FIGURES[i];
                plot.add(new Workload.Series(figure, extents, program, x -> KEPT.get(x).quantile(group, part)));
            }
        }
        return plot;
    }

    private long quantile(int group, double part) {
        long[] sums = new long[ones.length / group];
        Arrays.setAll(sums, i -> Arrays.stream(ones, group * i, group * (i + 1)).sum());
        Arrays.sort(sums);
        return sums[(int) (part * (sums.length - 1))];
    }
}
