(* live-tree, translated directly. *)

type tree =
  | Empty
  | Node of { number : int; left : tree; right : tree; mutable stored : tree }

let left_part nodes = (nodes - 1) / 2
let right_part nodes = nodes - 1 - left_part nodes

let rec grow nodes =
  if nodes = 0 then Empty
  else
    let left = grow (left_part nodes) in
    let right = grow (right_part nodes) in
    Node { number = 0; left; right; stored = Empty }

(* The leaf below the root at the end of a random way. *)
let rec random_leaf root way =
  match root with
  | Node { left; right; _ } when right != Empty ->
    random_leaf (if way land 1 <> 0 && left != Empty then left else right) (way / 2)
  | _ -> root

let living = ref Empty

(* The tree is old when the others are made. *)
let prepare nodes =
  living := grow nodes;
  Gc.full_major ()

let number_of = function
  | Empty -> 0
  | Node { number; _ } -> number

let nodes_for_one_stored = 16

let run stores nodes =
  let random = Random_numbers.start () in
  let sum = ref 0 in
  for made = 1 to min nodes 1_000_000 do
    let young = Sys.opaque_identity (Node { number = made; left = Empty; right = Empty; stored = Empty }) in
    sum := !sum + number_of young;
    if stores && made mod nodes_for_one_stored = 0 then
      match random_leaf !living (Random_numbers.next random) with
      | Empty -> ()
      | Node leaf ->
        sum := !sum + number_of leaf.stored;
        leaf.stored <- young
  done;
  !sum

let () =
  Callback.register "live tree" prepare;
  Callback.register "live-tree allocate" (run false);
  Callback.register "live-tree store" (run true)
