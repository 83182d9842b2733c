package main

import "weak"

// cache, translated directly.
var cache = workloadOf("cache",
	&series{name: "look-ups", extents: extents["cache"], program: program{run: lookUpInCache}})

const (
	lookUpsForEachEntry = 16
	entriesForAClient   = 8
)

type cacheEntry struct {
	key            int
	isCached       bool
	next, previous *cacheEntry
}

type entryCache struct {
	places         map[int]*cacheEntry
	newest, oldest *cacheEntry
}

func lookUpInCache(entries int) int {
	random := newRandomNumbers()
	used := entryCache{places: map[int]*cacheEntry{}}
	clients := make([]weak.Pointer[cacheEntry], max(1, entries/entriesForAClient))
	sum := 0
	for range lookUpsForEachEntry * entries {
		key := min(random.below(2*entries), random.below(2*entries))
		found := used.lookUp(key, entries)
		client := random.below(len(clients))
		if seen := clients[client].Value(); seen != nil && seen.isCached {
			sum += seen.key
		}
		clients[client] = weak.Make(found)
	}
	return sum
}

func (c *entryCache) lookUp(key, entries int) *cacheEntry {
	if known := c.places[key]; known != nil {
		if known != c.newest {
			c.unlink(known)
			c.push(known)
		}
		return known
	}
	made := &cacheEntry{key: key, isCached: true}
	c.places[key] = made
	c.push(made)
	if len(c.places) > entries {
		c.oldest.isCached = false
		delete(c.places, c.oldest.key)
		c.unlink(c.oldest)
	}
	return made
}

func (c *entryCache) push(entry *cacheEntry) {
	entry.previous = nil
	entry.next = c.newest
	if c.newest != nil {
		c.newest.previous = entry
	} else {
		c.oldest = entry
	}
	c.newest = entry
}

func (c *entryCache) unlink(entry *cacheEntry) {
	if entry.previous != nil {
		entry.previous.next = entry.next
	} else {
		c.newest = entry.next
	}
	if entry.next != nil {
		entry.next.previous = entry.previous
	} else {
		c.oldest = entry.previous
	}
}
