"""The words of the tables that a reader may not know."""

WORDS = {
    "simple counted": "shared_ptr<T>(new T, deleter, std::allocator): its count in a second block from operator new",
    "special counted": "shared_ptr<T>(new T): its count in a second block, from Freehold's pool",
    "in-place counted": "make_shared<T>(): object and count in one block",
    "thin": "a handle of one word",
    "local": "counts with plain instructions: the handles stay in one thread",
    "biased": "plain instructions in the maker's thread, locked ones in others",
    "sharded": "copies are counted in a cache line for each processor",
    "raw, dumb": "a bare pointer, and a class around one: neither shares nor frees what it points to",
    "raw atomic": "a bare atomic pointer, whose readers count nothing: what was replaced is never freed, or retired to "
    "hazard pointers or RCU",
    "uncounted": "a program that frees its nodes without counting: by hand, all at once, or by a collector",
    "winked out": "the arena is released whole, and no container is destroyed",
    "floor": "the least that any choice can cost; it neither shares nor frees, so it is no choice itself",
    "pointers, cyclic, traced, memory": "the families of Freehold: pointers that count, that collect cycles, or that "
    "are traced, and memory resources",
    "peers, allocators": "other libraries, languages and allocators, to compare with",
    "baseline": "the family of raw and dumb",
}
