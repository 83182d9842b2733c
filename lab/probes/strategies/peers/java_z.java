import java.util.List;

/** HotSpot's ZGC, which marks and copies beside the program. */
final class Strategy {
    static final List<String> COLLECTORS = List.of("ZGC Cycles", "ZGC Pauses");

    private Strategy() {}
}
