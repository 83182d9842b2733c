(* actors, translated directly, in system threads: OCaml 4 has no domains, so one of its threads works at a time. What
   refers to nothing yet refers to itself. *)

type actor = { mutable last : message }
and message = { number : int; hops : int; mutable other : message; from : actor }

type mailbox = { mutex : Mutex.t; messages : message Queue.t }

let messages_of_an_actor = 100
let most_hops = 1000

let locked box work =
  Mutex.lock box.mutex;
  work box.messages;
  Mutex.unlock box.mutex

type office = { boxes : mailbox array; left : int Atomic.t; sum : int Atomic.t }

let work office thread =
  let rec own = { last = nothing } and nothing = { number = 0; hops = 0; other = nothing; from = own } in
  let sum = ref 0 in
  let post number hops =
    let rec next = { number; hops; other = next; from = own } in
    locked office.boxes.((thread + number) mod Array.length office.boxes) (Queue.push next)
  in
  let answer received =
    let reply = { number = received.number; hops = received.hops; other = received; from = own } in
    received.other <- reply;
    own.last <- reply;
    sum := !sum + received.number + received.hops;
    if received.hops = most_hops then Atomic.decr office.left else post received.number (received.hops + 1)
  in
  for number = 0 to messages_of_an_actor - 1 do
    post number 0
  done;
  while Atomic.get office.left <> 0 do
    let received = Queue.create () in
    locked office.boxes.(thread) (fun messages -> Queue.transfer messages received);
    if Queue.is_empty received then Thread.yield ();
    Queue.iter
      (fun each ->
        let started = Operation_times.now () in
        answer each;
        Operation_times.add (Operation_times.now () - started))
      received
  done;
  ignore (Atomic.fetch_and_add office.sum !sum)

let run threads =
  let boxes = Array.init threads (fun _ -> { mutex = Mutex.create (); messages = Queue.create () }) in
  let office = { boxes; left = Atomic.make (threads * messages_of_an_actor); sum = Atomic.make 0 } in
  Operation_times.start ();
  List.iter Thread.join (List.init threads (Thread.create (work office)));
  Atomic.get office.sum

let () = Callback.register "actors" run
