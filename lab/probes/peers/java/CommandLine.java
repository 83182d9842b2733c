import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** What a probe is asked to do. */
record CommandLine(String action, List<String> workloads, boolean threaded, int scale) {
    private static final String USAGE = "usage: identify | (time | memory) WORKLOAD... [--threaded] [--scale NUMBER]";

    static CommandLine read(String[] arguments) {
        Deque<String> rest = new ArrayDeque<>(Arrays.asList(arguments));
        String action = next(rest);
        List<String> workloads = new ArrayList<>();
        boolean threaded = false;
        int scale = 300_000;
        if (action.equals("identify") && rest.isEmpty()) {
            return new CommandLine(action, workloads, threaded, scale);
        }
        if (!action.equals("time") && !action.equals("memory")) {
            throw new IllegalArgumentException(USAGE);
        }
        while (!rest.isEmpty()) {
            String argument = next(rest);
            if (argument.equals("--threaded")) {
                threaded = true;
            } else if (argument.equals("--scale")) {
                scale = positiveNumber(next(rest));
            } else if (argument.startsWith("--")) {
                throw new IllegalArgumentException("unknown option \"" + argument + "\"");
            } else {
                workloads.add(argument);
            }
        }
        if (workloads.isEmpty()) {
            throw new IllegalArgumentException(USAGE);
        }
        return new CommandLine(action, workloads, threaded, scale);
    }

    private static String next(Deque<String> rest) {
        if (rest.isEmpty()) {
            throw new IllegalArgumentException(USAGE);
        }
        return rest.removeFirst();
    }

    private static int positiveNumber(String text) {
        try {
            int number = Integer.parseInt(text);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException malformed) {
            // As one that is not positive.
        }
        throw new IllegalArgumentException("--scale needs a positive number, not \"" + text + "\"");
    }
}
