(* binary-trees, translated directly. *)

type tree =
  | Empty
  | Node of tree * tree

(* A leaf of constants would be a constant itself, and no allocation. *)
let rec grow depth =
  if depth = 0 then Node (Sys.opaque_identity Empty, Empty)
  else
    let left = grow (depth - 1) in
    Node (left, grow (depth - 1))

let rec count = function
  | Empty -> 0
  | Node (Empty, _) -> 1
  | Node (left, right) -> 1 + count left + count right

let least_depth = 4

let run depth =
  let long_lived = grow depth in
  let nodes = ref 0 in
  let low = ref least_depth in
  while !low <= depth do
    for _ = 1 to 1 lsl (depth - !low + least_depth) do
      nodes := !nodes + count (grow !low)
    done;
    low := !low + 2
  done;
  !nodes + count long_lived

let () = Callback.register "binary-trees" run
