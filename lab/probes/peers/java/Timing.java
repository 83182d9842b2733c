import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Times points, each by one run: the processor time of the program's thread and of the threads that collect; the time
 * that passes, if the program starts threads. The machine's start and its compilers are left out; what they make of the
 * program is there after the warm-up.
 */
final class Timing {
    private static final long IDLE_NANOSECONDS = 100_000_000;
    private static final Map<Path, Long> TAKEN = new HashMap<>(); // nanoseconds of each thread that collects

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
        long taken = series.program.startsThreads() ? passed(series, x) : processorTime(series, x);
        series.program.finish();
        return taken;
    }

    private static long passed(Workload.Series series, int x) {
        long started = System.nanoTime();
        series.run(x);
        return System.nanoTime() - started;
    }

    private static long processorTime(Workload.Series series, int x) throws IOException {
        long ofTheCollector = -ofTheCollector();
        long ofTheProgram = -ofTheProgram();
        series.run(x);
        ofTheProgram += ofTheProgram();
        ofTheCollector += ofTheCollector();
        return ofTheProgram + ofTheCollector;
    }

    private static long ofTheProgram() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static long ofTheCollector() throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
            threads.forEach(Timing::look);
        }
        return TAKEN.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Notes what the thread has taken, if it is one that collects: others come and go. */
    private static void look(Path thread) {
        try {
            if (collects(Files.readString(thread.resolve("comm")).strip())) {
                TAKEN.put(thread, Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ")[0]));
            }
        } catch (IOException ended) {
            // what it had taken before is known
        }
    }

    /** The serial collector works in the virtual machine's own thread, the others also in their own. */
    private static boolean collects(String thread) {
        return Stream.of("VM Thread", "GC Thread", "G1 ", "Z").anyMatch(thread::startsWith);
    }
}
