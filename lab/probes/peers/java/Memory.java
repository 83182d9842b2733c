import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Measures the memory that a point takes, and the pauses of the collector, in a machine of its own that logs them. */
final class Memory {
    static final String HERE = "memory-here";

    private static final String FROM_HERE = "measured from here";
    private static final String TO_HERE = "measured to here";
    private static final Pattern PAUSE = Pattern.compile("Pause .* ([0-9.]+)ms");

    private Memory() {}

    /** Returns the point's figures as JSON. */
    static String answer(String workload, int series, int x) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-Xlog:gc,gc+phases:stdout", "-cp", System.getProperty("java.class.path"), "Probe", HERE));
        command.addAll(List.of(workload, String.valueOf(series), String.valueOf(x)));
        Process child = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        List<String> said = child.inputReader().lines().toList();
        if (!said.contains(TO_HERE)) {
            throw new IOException("the child that measures memory ended too early");
        }
        long[] pauses = said.subList(said.indexOf(FROM_HERE), said.indexOf(TO_HERE)).stream()
                .map(PAUSE::matcher)
                .filter(Matcher::find)
                .mapToLong(pause -> Math.round(1e6 * Double.parseDouble(pause.group(1))))
                .sorted()
                .toArray();
        String figures = said.get(said.size() - 1) + ", \"collections\": " + pauses.length;
        if (pauses.length > 0) {
            figures += ", \"median_pause\": " + pauses[pauses.length / 2];
            figures += ", \"longest_pause\": " + pauses[pauses.length - 1];
        }
        return figures;
    }

    /** Measures in this process, and prints what its parent has to know. */
    static void measureHere(Workload.Series series, int x) throws IOException {
        long before = present();
        series.program.prepare(x);
        System.out.println(FROM_HERE);
        series.run(x);
        System.out.println(TO_HERE);
        series.program.finish();
        long left = present();
        long ofFiles = bytesIn("smaps_rollup", "Rss:") - bytesIn("smaps_rollup", "Anonymous:");
        long peak = Math.max(left, bytesIn("status", "VmHWM:") - ofFiles);
        System.out.printf("\"peak\": %d, \"left\": %d%n", peak - before, left - before);
    }

    /** ZGC's heap is shared memory, which it maps several times. */
    private static long present() throws IOException {
        return bytesIn("smaps_rollup", "Anonymous:") + bytesIn("smaps_rollup", "Pss_Shmem:");
    }

    /** Returns the bytes in a line of a file under /proc/self. */
    private static long bytesIn(String file, String name) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self", file))) {
            if (line.startsWith(name)) {
                return 1024 * Long.parseLong(line.substring(name.length()).strip().split(" +")[0]);
            }
        }
        throw new IOException("/proc/self/" + file + " has no " + name);
    }
}
