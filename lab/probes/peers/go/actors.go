package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// actors, translated directly: a reply and the message it replies to refer to each other. Threads are goroutines.
var actors = func() workload {
	plot := withOperationTimes("messages", extents["actors"], program{run: exchangeMessages, startsThreads: true})
	return workload{"actors", plot, func() int { return plot[0].found }}
}()

const (
	messagesOfAnActor = 100
	mostHops          = 1_000
	answersOfAnActor  = messagesOfAnActor * (mostHops + 1) // all have as many
)

type actor struct {
	last *message
}

type message struct {
	number, hops int32
	from         *actor
	other        *message
}

type mailbox struct {
	lock     sync.Mutex
	messages []*message
}

func (m *mailbox) add(posted *message) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.messages = append(m.messages, posted)
}

func (m *mailbox) takeAll() []*message {
	m.lock.Lock()
	defer m.lock.Unlock()
	taken := m.messages
	m.messages = nil
	return taken
}

type worker struct {
	thread int
	boxes  []mailbox
	left   *atomic.Int64
	actor  actor
	times  *operationTimes
	sum    int
}

func exchangeMessages(threads int) int {
	boxes := make([]mailbox, threads)
	var left atomic.Int64
	left.Store(int64(threads * messagesOfAnActor))
	workers := make([]*worker, threads)
	var working sync.WaitGroup
	for thread := range workers {
		workers[thread] = &worker{thread: thread, boxes: boxes, left: &left, times: newOperationTimes(answersOfAnActor)}
		working.Go(workers[thread].work)
	}
	working.Wait()
	times := newOperationTimes(threads * answersOfAnActor)
	sum := 0
	for _, each := range workers {
		times.add(each.times)
		sum += each.sum
	}
	times.keep(threads)
	return sum
}

func (w *worker) work() {
	for number := range int32(messagesOfAnActor) {
		w.post(number, 0)
	}
	for w.left.Load() != 0 {
		received := w.boxes[w.thread].takeAll()
		if len(received) == 0 {
			runtime.Gosched()
		}
		for _, each := range received {
			w.times.start()
			w.answer(each)
			w.times.done()
		}
	}
}

func (w *worker) answer(received *message) {
	reply := &message{number: received.number, hops: received.hops, from: &w.actor, other: received}
	received.other = reply
	w.actor.last = reply
	w.sum += int(received.number + received.hops)
	if received.hops == mostHops {
		w.left.Add(-1)
	} else {
		w.post(received.number, received.hops+1)
	}
}

func (w *worker) post(number, hops int32) {
	w.boxes[(w.thread+int(number))%len(w.boxes)].add(&message{number: number, hops: hops, from: &w.actor})
}
