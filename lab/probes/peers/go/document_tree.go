package main

import (
	"math/bits"
	"slices"
	"strconv"
)

// document-tree, translated directly: the same program in both series.
var documentTree = func() workload {
	owned := withOperationTimes("parents owned", extents["document-tree"], program{run: editDocument}, 100)
	observed := withOperationTimes("parents observed", extents["document-tree"], program{run: editDocument}, 100)
	return workload{"document-tree", append(owned, observed...),
		func() int { return owned[0].found + 3*observed[0].found }}
}()

const (
	childrenOfTheRoot = 6
	childrenOfANode   = 4
	highestClimb      = 3
)

type documentNode struct {
	text     string
	children []*documentNode
	parent   *documentNode
}

type document struct {
	random *randomNumbers
	sum    int
	made   int
	root   *documentNode
}

func editDocument(nodes int) int {
	d := document{random: newRandomNumbers()}
	d.root = d.grow(bits.TrailingZeros(uint(nodes/2+1))/2, childrenOfTheRoot)
	times := newOperationTimes(nodes / 2)
	for range nodes / 2 {
		d.edit()
		times.done()
	}
	times.keep(nodes)
	d.readAll(d.root)
	return d.sum
}

func (d *document) edit() {
	switch d.random.below(8) {
	case 0:
		d.readUpwards()
	case 1, 2:
		d.exchange()
	default:
		d.replace()
	}
}

func (d *document) readUpwards() {
	for at := d.randomLeaf(); at != nil; at = at.parent {
		d.read(at)
	}
}

func (d *document) exchange() {
	height := d.randomHeight()
	one := d.randomLeaf().climb(height)
	other := d.randomLeaf().climb(height)
	aboveOne, aboveOther := one.parent, other.parent
	placeOfOne, placeOfOther := slices.Index(aboveOne.children, one), slices.Index(aboveOther.children, other)
	aboveOne.children[placeOfOne], aboveOther.children[placeOfOther] = other, one
	one.parent, other.parent = aboveOther, aboveOne
}

func (d *document) replace() {
	height := d.randomHeight()
	old := d.randomLeaf().climb(height)
	above := old.parent
	fresh := d.grow(height, childrenOfANode)
	fresh.parent = above
	above.children[slices.Index(above.children, old)] = fresh
}

func (d *document) grow(height, children int) *documentNode {
	grown := &documentNode{text: strconv.Itoa(d.made)}
	d.made++
	if height > 0 {
		grown.children = make([]*documentNode, 0, children)
		for range children {
			child := d.grow(height-1, childrenOfANode)
			child.parent = grown
			grown.children = append(grown.children, child)
		}
	}
	return grown
}

func (d *document) read(node *documentNode) {
	d.sum += int(node.text[len(node.text)-1])
}

func (d *document) readAll(top *documentNode) {
	d.read(top)
	for _, child := range top.children {
		d.readAll(child)
	}
}

func (d *document) randomLeaf() *documentNode {
	at := d.root
	for len(at.children) > 0 {
		at = at.children[d.random.below(len(at.children))]
	}
	return at
}

func (d *document) randomHeight() int {
	height := 0
	for height < highestClimb && d.random.below(2) == 1 {
		height++
	}
	return height
}

func (n *documentNode) climb(levels int) *documentNode {
	for ; levels > 0; levels-- {
		n = n.parent
	}
	return n
}
