import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * A probe in Java: the programs beside this file under the collector that the strategy names. It is asked and answers as
 * the probes in C++ do (../../harness), but that it always has more than one thread.
 */
final class Probe {
    private static final String NAME = System.getProperty("freehold.strategy");

    private Probe() {}

    public static void main(String[] arguments) {
        try {
            if (arguments.length == 4 && arguments[0].equals(Memory.HERE)) {
                Workload.Series series = find(arguments[1]).plot().get(Integer.parseInt(arguments[2]));
                Memory.measureHere(series, Integer.parseInt(arguments[3]));
                return;
            }
            CommandLine asked = CommandLine.read(arguments);
            if (asked.action().equals("identify")) {
                identify();
                return;
            }
            for (String name : asked.workloads()) {
                measure(find(name), asked);
            }
        } catch (IOException | RuntimeException complaint) {
            System.err.println("probe_" + NAME + ": " + complaint.getMessage());
            System.exit(2);
        }
    }

    /** The collectors that are at work are those that the strategy names, or this is not what it says. */
    private static void identify() {
        List<String> collectors = ManagementFactory.getGarbageCollectorMXBeans().stream()
                .map(GarbageCollectorMXBean::getName)
                .toList();
        if (!collectors.equals(Strategy.COLLECTORS)) {
            throw new IllegalStateException("the collectors are " + collectors + ", not " + Strategy.COLLECTORS);
        }
        String version = System.getProperty("java.version");
        System.out.printf("{\"compiler\": \"javac %s\", \"strategy\": \"%s\", \"library\": \"Java %s, %s\"}%n",
                version, NAME, version, String.join(" and ", collectors));
    }

    private static Workload find(String name) {
        return Programs.ALL.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no workload \"" + name + "\""));
    }

    private static void measure(Workload workload, CommandLine asked) throws IOException {
        boolean timing = asked.action().equals("time");
        if (timing && !asked.threaded()) {
            throw new IllegalArgumentException("a machine for Java always has more than one thread: --threaded is missing");
        }
        List<String> points = new ArrayList<>();
        for (int i = 0; i < workload.plot().size(); ++i) {
            Workload.Series series = workload.plot().get(i);
            if (series.tell != null && !timing) {
                continue;
            }
            if (timing && series.tell == null) {
                Timing.warmUp(series);
            }
            for (int x : series.sizes(asked.scale())) {
                String figures = timing
                        ? "\"nanoseconds\": " + (series.tell != null ? series.tell.applyAsLong(x) : Timing.nanoseconds(series, x))
                        : Memory.answer(workload.name(), i, x);
                points.add(String.format("{\"series\": \"%s\", \"x\": %d, %s}", series.name, x, figures));
            }
        }
        System.out.printf("{\"checksum\": \"%d\", \"points\": [%s]}%n",
                workload.checksum().getAsLong(), String.join(", ", points));
    }
}
