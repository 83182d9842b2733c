(* rings, translated directly. *)

type node = { number : int; mutable next : node }

(* The first of `nodes` nodes, which are numbered from `number` on. *)
let make nodes number =
  let rec last = { number = number + nodes - 1; next = last } in
  let first = ref last in
  for i = nodes - 2 downto 0 do
    first := { number = number + i; next = !first }
  done;
  last.next <- !first;
  !first

let ring_size = 10

let churn living_rings nodes =
  let living = Array.make living_rings (make 1 0) in
  let sum = ref 0 in
  for ring = 0 to (nodes - 1) / ring_size do
    let first = make ring_size (ring * ring_size) in
    living.(ring mod living_rings) <- first;
    sum := !sum + first.number
  done;
  !sum

let living = ref (make 1 0)
let prepare nodes = living := make nodes 0

let cursor steps =
  let at = ref !living in
  let sum = ref 0 in
  for _ = 1 to steps do
    sum := !sum + !at.number;
    at := !at.next
  done;
  !sum

let () =
  Callback.register "ring churn" (churn 8);
  Callback.register "ring aging" (fun nodes -> churn (nodes / ring_size / 10) nodes);
  Callback.register "ring cursor" cursor;
  Callback.register "living ring" prepare
