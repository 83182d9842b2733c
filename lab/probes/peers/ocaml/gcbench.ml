(* gcbench, translated directly. *)

type tree =
  | Empty
  | Node of { mutable left : tree; mutable right : tree; mutable i : int; mutable j : int }

let make left right = Node { left; right; i = 0; j = 0 }

let rec populate root depth =
  match root with
  | Node node when depth > 0 ->
    node.left <- make Empty Empty;
    node.right <- make Empty Empty;
    populate node.left (depth - 1);
    populate node.right (depth - 1)
  | _ -> ()

let from_the_root depth =
  let root = make Empty Empty in
  populate root depth;
  root

let rec from_the_leaves depth =
  if depth = 0 then make Empty Empty
  else
    let left = from_the_leaves (depth - 1) in
    make left (from_the_leaves (depth - 1))

let rec levels_of = function
  | Empty -> 0
  | Node { left; _ } -> 1 + levels_of left

let rec count = function
  | Empty -> 0
  | Node { left = Empty; _ } -> 1
  | Node { left; right; _ } -> 1 + count left + count right

let doubles depth =
  let made = Array.make (8 lsl depth) 0.0 in
  for i = 1 to Array.length made / 2 - 1 do
    made.(i) <- 1.0 /. float_of_int i
  done;
  made

let digest doubles =
  let found = ref 0 in
  for i = 1 to Array.length doubles / 2 - 1 do
    if doubles.(i) = 1.0 /. float_of_int i then incr found
  done;
  !found

let nodes_of depth = (2 lsl depth) - 1
let stretching depth = depth + 2
let least_depth = 4

let run depth =
  let levels = ref (levels_of (from_the_leaves (stretching depth))) in
  let long_lived = from_the_root depth in
  let array = doubles depth in
  let low = ref least_depth in
  while !low <= depth do
    for _ = 1 to 2 * nodes_of (stretching depth) / nodes_of !low do
      levels := !levels + levels_of (from_the_root !low);
      levels := !levels + levels_of (from_the_leaves !low)
    done;
    low := !low + 2
  done;
  !levels + count long_lived + digest array

let () = Callback.register "gcbench" run
