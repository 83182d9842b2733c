package main

// live-tree, translated directly.
var liveTree = func() workload {
	allocate := &series{name: "allocate", extents: extents["live-tree"], program: besideALiveTree(false)}
	store := &series{name: "store", extents: extents["live-tree"], program: besideALiveTree(true)}
	return workload{"live-tree", []*series{allocate, store}, func() int { return allocate.found + 3*store.found }}
}()

const (
	mostNodesMade     = 1_000_000
	nodesForOneStored = 16
)

type liveNode struct {
	number              int32
	left, right, stored *liveNode
}

func besideALiveTree(stores bool) program {
	var living *liveNode
	return program{
		prepare: func(nodes int) { living = growLiveTree(nodes) },
		run: func(nodes int) int {
			random := newRandomNumbers()
			sum := 0
			for made := 1; made <= min(nodes, mostNodesMade); made++ {
				young := &liveNode{number: int32(made)} // in the heap, as it may be stored
				sum += int(young.number)
				if stores && made%nodesForOneStored == 0 {
					leaf := living.randomLeaf(random.next())
					if leaf.stored != nil {
						sum += int(leaf.stored.number)
					}
					leaf.stored = young
				}
			}
			return sum
		},
		finish: func() { living = nil },
	}
}

func growLiveTree(nodes int) *liveNode {
	if nodes == 0 {
		return nil
	}
	left := (nodes - 1) / 2
	return &liveNode{left: growLiveTree(left), right: growLiveTree(nodes - 1 - left)}
}

// randomLeaf returns the leaf below the node at the end of a random way.
func (n *liveNode) randomLeaf(way int) *liveNode {
	for ; n.right != nil; way /= 2 {
		if way%2 != 0 && n.left != nil {
			n = n.left
		} else {
			n = n.right
		}
	}
	return n
}
