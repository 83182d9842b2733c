(* subtrees, translated directly. *)

type tree =
  | Empty
  | Node of { number : int; mutable left : tree; mutable right : tree }

let levels_of nodes =
  let rec count levels = if 1 lsl levels > nodes then levels else count (levels + 1) in
  count 0

let made = ref 0

let rec grow levels =
  if levels = 0 then Empty
  else begin
    let number = !made in
    incr made;
    let left = grow (levels - 1) in
    let right = grow (levels - 1) in
    Node { number; left; right }
  end

let living = ref Empty

(* The tree is old when subtrees are replaced. *)
let prepare nodes =
  made := 0;
  living := grow (levels_of nodes);
  Gc.full_major ()

let nodes_for_one_replaced = 4
let levels_of_a_subtree = 4

let number_of = function
  | Empty -> 0
  | Node { number; _ } -> number

(* The number of the root of the subtree that was replaced, below the node that has `levels` levels. *)
let rec replace above levels random fresh =
  match above with
  | Empty -> 0
  | Node above ->
    let goes_left = Random_numbers.below random 2 = 0 in
    let old = if goes_left then above.left else above.right in
    if levels > levels_of_a_subtree + 1 then replace old (levels - 1) random fresh
    else begin
      if goes_left then above.left <- fresh else above.right <- fresh;
      number_of old
    end

let run nodes =
  let random = Random_numbers.start () in
  let levels = levels_of nodes in
  let sum = ref 0 in
  Operation_times.start ();
  for _ = 1 to nodes / nodes_for_one_replaced do
    let fresh = grow levels_of_a_subtree in
    sum := !sum + replace !living levels random fresh;
    Operation_times.finished ()
  done;
  !sum

let () =
  Callback.register "subtrees' tree" prepare;
  Callback.register "subtrees" run
