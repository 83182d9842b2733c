import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.function.LongSupplier;

/** What a workload is to the harness: series of points to measure, and a checksum that every strategy must reach. */
record Workload(String name, List<Series> plot, LongSupplier checksum) {
    /** A whole program; what it prepares and finishes is not measured. */
    interface Program {
        long run(int x);

        default void prepare(int x) {}

        default void finish() {}

        /** Whether its time is the time that passes, because its threads work at once. */
        default boolean startsThreads() {
            return false;
        }
    }

    /** A size, and the scale from which on it is measured. */
    record Extent(int x, int leastScale) {}

    static final class Series {
        final String name;
        final List<Extent> extents;
        final Program program;
        final IntToLongFunction tell; // a time of the last run at x, that the program has taken itself; or null
        long found; // by the last run

        Series(String name, List<Extent> extents, Program program) {
            this(name, extents, program, null);
        }

        Series(String name, List<Extent> extents, Program program, IntToLongFunction tell) {
            this.name = name;
            this.extents = extents;
            this.program = program;
            this.tell = tell;
        }

        void run(int x) {
            found = program.run(x);
        }

        int[] sizes(int scale) {
            return extents.stream().filter(each -> each.leastScale <= scale).mapToInt(Extent::x).toArray();
        }
    }

    /** A workload of one series, whose result is the checksum. */
    static Workload of(String name, Series series) {
        return new Workload(name, List.of(series), () -> series.found);
    }
}
