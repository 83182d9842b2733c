package main

// rings, translated directly.
var rings = func() workload {
	cursor := &series{name: "cursor", extents: extents["rings"], program: ringCursor()}
	few := &series{name: "churn, few live", extents: extents["rings"], program: ringChurn(func(int) int { return 8 })}
	aTenth := &series{name: "churn, a tenth lives", extents: extents["rings"],
		program: ringChurn(func(nodes int) int { return nodes / ringSize / 10 })}
	return workload{"rings", []*series{cursor, few, aTenth},
		func() int { return few.found + 3*aTenth.found + 7*cursor.found }}
}()

const (
	ringSize         = 10
	mostNodesOfARing = 1_000_000
)

type ringNode struct {
	number int32
	next   *ringNode
}

// makeRing returns the first of `nodes` nodes, which are numbered from `number` on.
func makeRing(nodes, number int) *ringNode {
	last := &ringNode{number: int32(number + nodes - 1)}
	first := last
	for i := nodes - 2; i >= 0; i-- {
		first = &ringNode{int32(number + i), first}
	}
	last.next = first
	return first
}

func ringChurn(living func(nodes int) int) program {
	return program{run: func(nodes int) int {
		rings := make([]*ringNode, living(nodes))
		sum := 0
		for made := 0; made < nodes; made += ringSize {
			first := makeRing(ringSize, made)
			rings[made/ringSize%len(rings)] = first
			sum += int(first.number)
		}
		return sum
	}}
}

func ringCursor() program {
	var living *ringNode
	return program{
		prepare: func(steps int) { living = makeRing(min(steps, mostNodesOfARing), 0) },
		run: func(steps int) int {
			at := living
			sum := 0
			for ; steps > 0; steps-- {
				sum += int(at.number)
				at = at.next
			}
			return sum
		},
		finish: func() { living = nil },
	}
}
