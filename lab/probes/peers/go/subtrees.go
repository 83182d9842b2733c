package main

import "math/bits"

// subtrees, translated directly.
var subtrees = func() workload {
	plot := withOperationTimes("replace", extents["subtrees"], replacingSubtrees(), 100)
	return workload{"subtrees", plot, func() int { return plot[0].found }}
}()

const (
	nodesForOneReplaced = 4
	levelsOfASubtree    = 4
)

type subtreeNode struct {
	number      int32
	left, right *subtreeNode
}

type replacedTree struct {
	made   int32
	living *subtreeNode
}

func replacingSubtrees() program {
	var tree replacedTree
	return program{
		prepare: func(nodes int) {
			tree.made = 0
			tree.living = tree.grow(levelsOf(nodes))
		},
		run: func(nodes int) int {
			random := newRandomNumbers()
			sum := 0
			times := newOperationTimes(nodes / nodesForOneReplaced)
			for range nodes / nodesForOneReplaced {
				sum += tree.replace(nodes, random)
				times.done()
			}
			times.keep(nodes)
			return sum
		},
		finish: func() { tree.living = nil },
	}
}

func levelsOf(nodes int) int {
	return bits.TrailingZeros(uint(nodes + 1))
}

func (t *replacedTree) replace(nodes int, random *randomNumbers) int {
	fresh := t.grow(levelsOfASubtree)
	place := t.randomPlace(nodes, random)
	number := (*place).number
	*place = fresh
	return int(number)
}

// randomPlace returns a random link to a subtree that is to be replaced.
func (t *replacedTree) randomPlace(nodes int, random *randomNumbers) **subtreeNode {
	at := t.living
	for levels := levelsOf(nodes) - 1; ; levels-- {
		place := &at.right
		if random.below(2) == 0 {
			place = &at.left
		}
		if levels == levelsOfASubtree {
			return place
		}
		at = *place
	}
}

func (t *replacedTree) grow(levels int) *subtreeNode {
	if levels == 0 {
		return nil
	}
	grown := &subtreeNode{number: t.made}
	t.made++
	grown.left = t.grow(levels - 1)
	grown.right = t.grow(levels - 1)
	return grown
}
