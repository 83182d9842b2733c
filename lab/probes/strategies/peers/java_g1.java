import java.util.List;

/** HotSpot's G1, which marks beside the program and copies in short pauses. */
final class Strategy {
    static final List<String> COLLECTORS = List.of("G1 Young Generation", "G1 Old Generation");

    private Strategy() {}
}
