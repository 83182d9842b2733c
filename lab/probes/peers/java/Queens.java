import java.util.List;
import java.util.function.Predicate;

/** queens on immutable lists. They are passed in one way, so all styles but the last are the same program. */
final class Queens {
    private static final List<Workload.Series> PLOT = List.of(
            new Workload.Series("by value", Extents.QUEENS, Queens::run),
            new Workload.Series("const reference", Extents.QUEENS, Queens::run),
            new Workload.Series("modern", Extents.QUEENS, Queens::run),
            new Workload.Series("borrowed", Extents.QUEENS, Queens::run),
            new Workload.Series("direct", Extents.QUEENS, Queens::runDirectly));

    static final Workload WORKLOAD = new Workload("queens", PLOT, Queens::checksum);

    private record Square(int column, int row) {}

    private record Cell(Square head, Cell tail) {}

    private interface Judge {
        int judge(Cell placed, int found);
    }

    private Queens() {}

    /** The solutions that each style found last, twelve bits for each. */
    private static long checksum() {
        return PLOT.stream().mapToLong(each -> each.found).reduce(0, (all, found) -> all << 12 | found);
    }

    private static long run(int size) {
        return search((placed, found) -> found + 1, size, null, squares(size, 0, 0), 0);
    }

    private static long runDirectly(int size) {
        return searchDirectly(size, null, squares(size, 0, 0), 0);
    }

    private static boolean safe(Square one, Square other) {
        int right = other.column - one.column;
        int down = other.row - one.row;
        return right != 0 && down != 0 && right != down && right != -down;
    }

    private static int length(Cell all) {
        return all == null ? 0 : 1 + length(all.tail);
    }

    private static Cell squares(int size, int column, int row) {
        if (column == size) {
            return row == size - 1 ? null : squares(size, 0, row + 1);
        }
        return new Cell(new Square(column, row), squares(size, column + 1, row));
    }

    private static Cell filter(Predicate<Square> wanted, Cell all) {
        if (all == null) {
            return null;
        }
        Cell tail = filter(wanted, all.tail);
        return wanted.test(all.head) ? new Cell(all.head, tail) : tail;
    }

    private static int search(Judge judge, int size, Cell placed, Cell open, int found) {
        if (open == null) {
            return length(placed) == size ? judge.judge(placed, found) : found;
        }
        Square queen = open.head;
        int without = search(judge, size, placed, open.tail, found);
        return search(judge, size, new Cell(queen, placed), filter(other -> safe(queen, other), open.tail), without);
    }

    private static Cell filterSafe(Square queen, Cell all) {
        if (all == null) {
            return null;
        }
        Cell tail = filterSafe(queen, all.tail);
        return safe(queen, all.head) ? new Cell(all.head, tail) : tail;
    }

    private static int searchDirectly(int size, Cell placed, Cell open, int found) {
        if (open == null) {
            return length(placed) == size ? found + 1 : found;
        }
        int without = searchDirectly(size, placed, open.tail, found);
        return searchDirectly(size, new Cell(open.head, placed), filterSafe(open.head, open.tail), without);
    }
}
