package main

import "sync"

// shared-graph, translated directly. Threads are goroutines.
var sharedGraph = func() workload {
	plot := withOperationTimes("changes", extents["shared-graph"], changingAGraph())
	return workload{"shared-graph", plot, func() int { return plot[0].found }}
}()

const (
	levelsAbove              = 13
	levelsOfAGraphsSubtree   = 4
	placesOfSubtrees         = 1 << levelsAbove
	replacementsOfAGoroutine = 50_000
)

type sharedNode struct {
	number        int32
	children      [2]*sharedNode
	parent, other *sharedNode
}

type stripe struct {
	lock sync.Mutex
	_    [56]byte
}

type plantedGraph struct {
	root    *sharedNode
	stripes [64]stripe
}

type gardener struct {
	graph  *plantedGraph
	first  int
	random *randomNumbers
	times  *operationTimes
	sum    int
}

func changingAGraph() program {
	var graph plantedGraph
	return program{
		prepare:       func(int) { number := 0; graph.root = growAbove(levelsAbove, &number) },
		run:           graph.change,
		finish:        func() { graph.root = nil },
		startsThreads: true,
	}
}

func (g *plantedGraph) change(threads int) int {
	gardeners := make([]*gardener, threads)
	var working sync.WaitGroup
	for thread := range gardeners {
		gardeners[thread] = &gardener{
			graph:  g,
			first:  placesOfSubtrees + thread*replacementsOfAGoroutine,
			random: &randomNumbers{state: thread + 1},
			times:  newOperationTimes(2 * replacementsOfAGoroutine),
		}
		working.Go(gardeners[thread].work)
	}
	working.Wait()
	times := newOperationTimes(threads * 2 * replacementsOfAGoroutine)
	sum := 0
	for _, each := range gardeners {
		times.add(each.times)
		sum += each.sum
	}
	times.keep(threads)
	for place := range placesOfSubtrees {
		sum += int((*g.edgeTo(place)).number)
	}
	return sum
}

func (g *gardener) work() {
	for i := range replacementsOfAGoroutine {
		g.times.start()
		g.replace(int32(g.first + i))
		g.times.done()
		g.redirect()
		g.times.done()
	}
}

func (g *gardener) replace(number int32) {
	subtree := growSubtree(levelsOfAGraphsSubtree, number)
	place := g.random.below(placesOfSubtrees)
	g.locked(place, func() {
		edge := g.graph.edgeTo(place)
		*edge, subtree = subtree, *edge
	})
	g.sum += int(subtree.number)
}

func (g *gardener) redirect() {
	var target *sharedNode
	from := g.random.below(placesOfSubtrees)
	g.locked(from, func() {
		target = *g.graph.edgeTo(from)
		for range levelsOfAGraphsSubtree - 1 {
			target = target.children[g.random.below(2)]
		}
	})
	place := g.random.below(placesOfSubtrees)
	g.locked(place, func() { (*g.graph.edgeTo(place)).other = target })
}

func (g *gardener) locked(place int, change func()) {
	guard := &g.graph.stripes[place%len(g.graph.stripes)].lock
	guard.Lock()
	defer guard.Unlock()
	change()
}

// edgeTo returns the link to a subtree. Only that one on the way is ever changed.
func (g *plantedGraph) edgeTo(place int) **sharedNode {
	at := g.root
	for level := levelsAbove - 1; level > 0; level-- {
		at = at.children[place>>level&1]
	}
	return &at.children[place&1]
}

func growSubtree(levels int, number int32) *sharedNode {
	top := &sharedNode{number: number}
	if levels == 1 {
		return top
	}
	for side := range top.children {
		top.children[side] = growSubtree(levels-1, number)
		top.children[side].parent = top
	}
	return top
}

func growAbove(levels int, number *int) *sharedNode {
	if levels == 0 {
		*number++
		return growSubtree(levelsOfAGraphsSubtree, int32(*number-1))
	}
	return &sharedNode{children: [2]*sharedNode{growAbove(levels-1, number), growAbove(levels-1, number)}}
}
