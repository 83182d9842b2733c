import java.util.List;

/** HotSpot's serial collector, as it comes: it copies what is young and compacts what is old. */
final class Strategy {
    static final List<String> COLLECTORS = List.of("Copy", "MarkSweepCompact");

    private Strategy() {}
}
