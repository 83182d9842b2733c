import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Times points, each by one run: the processor time of the program's thread and of the thread that collects. The
 * machine's start and its compilers are left out; what they make of the program is there after the warm-up.
 */
final class Timing {
    private static final long IDLE_NANOSECONDS = 100_000_000;
    private static final Path COLLECTOR = threadOfTheCollector();

    private Timing() {}

    /** Runs the smallest size, unmeasured, until the compilers have finished with it and stay idle. */
    static void warmUp(Workload.Series series) throws IOException {
        int smallest = series.extents.get(0).x();
        CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
        long compiled = -1;
        long since = 0;
        do {
            if (compiled != compilers.getTotalCompilationTime()) {
                compiled = compilers.getTotalCompilationTime();
                since = System.nanoTime();
            }
            nanoseconds(series, smallest);
        } while (System.nanoTime() - since < IDLE_NANOSECONDS);
    }

    static long nanoseconds(Workload.Series series, int x) throws IOException {
        series.program.prepare(x);
        long ofTheCollector = -ofTheCollector();
        long ofTheProgram = -ofTheProgram();
        series.run(x);
        ofTheProgram += ofTheProgram();
        ofTheCollector += ofTheCollector();
        series.program.finish();
        return ofTheProgram + ofTheCollector;
    }

    private static long ofTheProgram() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static long ofTheCollector() throws IOException {
        return Long.parseLong(Files.readString(COLLECTOR.resolve("schedstat")).split(" ")[0]);
    }

    /** The serial collector works in the thread of that name, which sleeps otherwise. */
    private static Path threadOfTheCollector() {
        try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
            for (Path thread : (Iterable<Path>) threads::iterator) {
                if (Files.readString(thread.resolve("comm")).strip().equals("VM Thread")) {
                    return thread;
                }
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        throw new IllegalStateException("the thread of the collector was not found");
    }
}
