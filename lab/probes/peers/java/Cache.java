import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** cache, translated directly. */
final class Cache implements Workload.Program {
    static final Workload WORKLOAD =
            Workload.of("cache", new Workload.Series("look-ups", Extents.CACHE, new Cache()));

    private static final int LOOKUPS_FOR_EACH_ENTRY = 16;
    private static final int ENTRIES_FOR_A_CLIENT = 8;

    private static final class Entry {
        final int key;
        boolean isCached = true;
        Entry next;
        Entry previous;

        Entry(int key) {
            this.key = key;
        }
    }

    private Map<Integer, Entry> places;
    private Entry newest;
    private Entry oldest;

    @Override
    public long run(int entries) {
        RandomNumbers random = new RandomNumbers();
        places = new HashMap<>();
        newest = null;
        oldest = null;
        int numberOfClients = Math.max(1, entries / ENTRIES_FOR_A_CLIENT);
        List<WeakReference<Entry>> clients = new ArrayList<>(Collections.nCopies(numberOfClients, null));
        long sum = 0;
        for (int done = 0; done < LOOKUPS_FOR_EACH_ENTRY * entries; ++done) {
            int key = Math.min(random.below(2 * entries), random.below(2 * entries));
            Entry found = lookUp(key, entries);
            int client = random.below(numberOfClients);
            Entry seen = clients.get(client) == null ? null : clients.get(client).get();
            if (seen != null && seen.isCached) {
                sum += seen.key;
            }
            clients.set(client, new WeakReference<>(found));
        }
        places = null;
        newest = null;
        oldest = null;
        return sum;
    }

    private Entry lookUp(int key, int entries) {
        Entry known = places.get(key);
        if (known != null) {
            if (known != newest) {
                unlink(known);
                push(known);
            }
            return known;
        }
        Entry made = new Entry(key);
        places.put(key, made);
        push(made);
        if (places.size() > entries) {
            oldest.isCached = false;
            places.remove(oldest.key);
            unlink(oldest);
        }
        return made;
    }

    private void push(Entry entry) {
        entry.previous = null;
        entry.next = newest;
        if (newest != null) {
            newest.previous = entry;
        } else {
            oldest = entry;
        }
        newest = entry;
    }

    private void unlink(Entry entry) {
        if (entry.previous != null) {
            entry.previous.next = entry.next;
        } else {
            newest = entry.next;
        }
        if (entry.next != null) {
            entry.next.previous = entry.previous;
        } else {
            oldest = entry.previous;
        }
    }
}
