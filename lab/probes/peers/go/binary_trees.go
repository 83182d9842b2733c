package main

// binary-trees, translated directly: the same program in both styles.
var binaryTrees = func() workload {
	moved := &series{name: "trees", extents: extents["binary-trees"], program: program{run: growTrees}}
	copied := &series{name: "trees, copied", extents: extents["binary-trees"], program: program{run: growTrees}}
	return workload{"binary-trees", []*series{moved, copied}, func() int { return moved.found }}
}()

const leastDepth = 4

type treeNode struct {
	left, right *treeNode
}

func growTrees(depth int) int {
	longLived := growTree(depth)
	nodes := 0
	for low := leastDepth; low <= depth; low += 2 {
		for trees := 1 << (depth - low + leastDepth); trees > 0; trees-- {
			nodes += growTree(low).count()
		}
	}
	return nodes + longLived.count()
}

func growTree(depth int) *treeNode {
	if depth == 0 {
		return &treeNode{}
	}
	return &treeNode{growTree(depth - 1), growTree(depth - 1)}
}

func (n *treeNode) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}
