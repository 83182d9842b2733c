import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** actors, translated directly: a reply and the message it replies to refer to each other. */
final class Actors implements Workload.Program {
    private static final List<Workload.Series> PLOT =
            OperationTimes.ofEach("messages", Extents.ACTORS, new Actors());

    static final Workload WORKLOAD = new Workload("actors", PLOT, () -> PLOT.get(0).found);

    private static final int MESSAGES_OF_AN_ACTOR = 100;
    private static final int MOST_HOPS = 1_000;
    private static final int ANSWERS_OF_AN_ACTOR = MESSAGES_OF_AN_ACTOR * (MOST_HOPS + 1); // all have as many

    private static final class Actor {
        Message last;
    }

    private static final class Message {
        final int number;
        final int hops;
        final Actor from;
        Message other;

        Message(int number, int hops, Actor from) {
            this.number = number;
            this.hops = hops;
            this.from = from;
        }
    }

    private static final class Mailbox {
        private final Lock lock = new ReentrantLock();
        private List<Message> messages = new ArrayList<>();

        void add(Message message) {
            lock.lock();
            try {
                messages.add(message);
            } finally {
                lock.unlock();
            }
        }

        List<Message> takeAll() {
            List<Message> none = new ArrayList<>();
            lock.lock();
            try {
                List<Message> taken = messages;
                messages = none;
                return taken;
            } finally {
                lock.unlock();
            }
        }
    }

    private Mailbox[] boxes;
    private AtomicInteger left;

    @Override
    public boolean startsThreads() {
        return true;
    }

    @Override
    public long run(int threads) {
        boxes = new Mailbox[threads];
        Arrays.setAll(boxes, i -> new Mailbox());
        left = new AtomicInteger(threads * MESSAGES_OF_AN_ACTOR);
        Worker[] workers = new Worker[threads];
        Arrays.setAll(workers, Worker::new);
        OperationTimes times = new OperationTimes(threads * ANSWERS_OF_AN_ACTOR);
        long sum = 0;
        try {
            for (Worker each : workers) {
                each.start();
            }
            for (Worker each : workers) {
                each.join();
                times.add(each.times);
                sum += each.sum;
            }
        } catch (InterruptedException impossible) {
            throw new IllegalStateException(impossible);
        }
        times.keep(threads);
        return sum;
    }

    private final class Worker extends Thread {
        final OperationTimes times = new OperationTimes(ANSWERS_OF_AN_ACTOR);
        long sum = 0;
        private final int thread;
        private final Actor actor = new Actor();

        Worker(int thread) {
            this.thread = thread;
        }

        @Override
        public void run() {
            for (int number = 0; number < MESSAGES_OF_AN_ACTOR; ++number) {
                post(number, 0);
            }
            while (left.get() != 0) {
                List<Message> received = boxes[thread].takeAll();
                if (received.isEmpty()) {
                    Thread.yield();
                }
                for (Message each : received) {
                    times.start();
                    answer(each);
                    times.done();
                }
            }
        }

        private void answer(Message received) {
            Message reply = new Message(received.number, received.hops, actor);
            reply.other = received;
            received.other = reply;
            actor.last = reply;
            sum += received.number + received.hops;
            if (received.hops == MOST_HOPS) {
                left.decrementAndGet();
            } else {
                post(received.number, received.hops + 1);
            }
        }

        private void post(int number, int hops) {
            boxes[(thread + number) % boxes.length].add(new Message(number, hops, actor));
        }
    }
}
