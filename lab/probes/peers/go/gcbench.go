package main

// gcbench, translated directly.
var gcbench = workloadOf("gcbench",
	&series{name: "trees and array", extents: extents["gcbench"], program: program{run: benchCollector}})

type benchNode struct {
	left, right *benchNode
	i, j        int32
}

func benchCollector(depth int) int {
	levels := growFromTheLeaves(stretching(depth)).levels()
	longLived := growFromTheRoot(depth)
	array := makeDoubles(depth)
	for low := leastDepth; low <= depth; low += 2 {
		for pairs := 2 * nodesOf(stretching(depth)) / nodesOf(low); pairs > 0; pairs-- {
			levels += growFromTheRoot(low).levels()
			levels += growFromTheLeaves(low).levels()
		}
	}
	return levels + longLived.count() + digest(array)
}

func nodesOf(depth int) int {
	return 2<<depth - 1
}

func stretching(depth int) int {
	return depth + 2
}

func growFromTheRoot(depth int) *benchNode {
	root := &benchNode{}
	root.populate(depth)
	return root
}

func (n *benchNode) populate(depth int) {
	if depth > 0 {
		n.left = &benchNode{}
		n.right = &benchNode{}
		n.left.populate(depth - 1)
		n.right.populate(depth - 1)
	}
}

func growFromTheLeaves(depth int) *benchNode {
	if depth == 0 {
		return &benchNode{}
	}
	return &benchNode{left: growFromTheLeaves(depth - 1), right: growFromTheLeaves(depth - 1)}
}

func (n *benchNode) levels() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.levels()
}

func (n *benchNode) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

func makeDoubles(depth int) []float64 {
	doubles := make([]float64, 8<<depth)
	for i := 1; i < len(doubles)/2; i++ {
		doubles[i] = 1 / float64(i)
	}
	return doubles
}

func digest(doubles []float64) int {
	found := 0
	for i := 1; i < len(doubles)/2; i++ {
		if doubles[i] == 1/float64(i) {
			found++
		}
	}
	return found
}
