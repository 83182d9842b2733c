import java.nio.ByteBuffer;
import java.util.List;

/** external, translated directly: a direct buffer has its bytes outside of the heap. */
record External(int alive) implements Workload.Program {
    private static final Workload.Series ONE = new Workload.Series("one alive", Extents.EXTERNAL, new External(1));
    private static final Workload.Series FEW = new Workload.Series("eight alive", Extents.EXTERNAL, new External(8));

    static final Workload WORKLOAD = new Workload("external", List.of(ONE, FEW), () -> ONE.found + 3 * FEW.found);

    private static final int PIXELS_OF_AN_IMAGE = 100_000;

    private static final class Image {
        final ByteBuffer pixels = ByteBuffer.allocateDirect(PIXELS_OF_AN_IMAGE);
        final Image self = this;

        Image(byte color) {
            while (pixels.hasRemaining()) {
                pixels.put(color);
            }
        }
    }

    @Override
    public long run(int images) {
        Image[] places = new Image[alive];
        long sum = 0;
        for (int made = 0; made < images; ++made) {
            Image image = new Image((byte) (made % 100));
            sum += image.pixels.get(made % PIXELS_OF_AN_IMAGE);
            places[made % alive] = image;
        }
        return sum;
    }
}
