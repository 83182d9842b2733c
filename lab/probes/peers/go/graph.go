package main

// graph, translated directly.
var graph = workloadOf("graph",
	&series{name: "edges rewired", extents: extents["graph"], program: program{run: rewireGraph}})

const (
	edgesOfANode          = 4
	rewiredForEachNode    = 32
	rewiredForTwoReplaced = 32
)

type graphNode struct {
	number int32
	edges  [edgesOfANode]*graphNode
}

type randomGraph struct {
	places []*graphNode
	random *randomNumbers
	made   int32
}

func rewireGraph(nodes int) int {
	g := randomGraph{places: make([]*graphNode, nodes), random: newRandomNumbers()}
	for place := range g.places {
		g.places[place] = g.newNode()
	}
	for place := range g.places {
		g.connect(place)
	}
	sum := 0
	for rewired := 1; rewired <= nodes*rewiredForEachNode; rewired++ {
		from := g.places[g.randomPlace()]
		edge := g.random.below(edgesOfANode)
		sum += int(from.edges[edge].number)
		from.edges[edge] = g.places[g.randomPlace()]
		if rewired%rewiredForTwoReplaced == 0 {
			g.replaceTwo()
		}
	}
	return sum
}

func (g *randomGraph) replaceTwo() {
	one, other := g.randomPlace(), g.randomPlace()
	for edge := range edgesOfANode {
		g.places[one].edges[edge] = g.places[other]
		g.places[other].edges[edge] = g.places[one]
	}
	for _, place := range [...]int{one, other} {
		g.places[place] = g.newNode()
		g.connect(place)
	}
}

func (g *randomGraph) newNode() *graphNode {
	node := &graphNode{number: g.made}
	g.made++
	return node
}

func (g *randomGraph) connect(place int) {
	for edge := range edgesOfANode {
		g.places[place].edges[edge] = g.places[g.randomPlace()]
	}
}

func (g *randomGraph) randomPlace() int {
	return g.random.below(len(g.places))
}
