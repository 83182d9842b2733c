(* document-tree, translated directly. The parent of the root is the root itself. *)

type node = { text : string; mutable children : node array; mutable parent : node }

let children_of_the_root = 6
let children_of_a_node = 4
let highest_climb = 3

let levels_below_root nodes =
  let rec count levels inner = if inner = 1 then levels else count (levels + 1) (inner / 4) in
  count 0 ((nodes / 2) + 1)

type document = { random : Random_numbers.t; mutable sum : int; mutable made : int; mutable root : node }

let rec grow document height children =
  let text = string_of_int document.made in
  document.made <- document.made + 1;
  let rec made = { text; children = [||]; parent = made } in
  if height > 0 then
    made.children <-
      Array.init children (fun _ ->
          let child = grow document (height - 1) children_of_a_node in
          child.parent <- made;
          child);
  made

let read document node = document.sum <- document.sum + Char.code node.text.[String.length node.text - 1]

let rec read_all document top =
  read document top;
  Array.iter (read_all document) top.children

let random_leaf document =
  let rec descend at =
    let child = at.children.(Random_numbers.below document.random (Array.length at.children)) in
    if Array.length child.children = 0 then child else descend child
  in
  descend document.root

let random_height document =
  let rec higher height =
    if height < highest_climb && Random_numbers.below document.random 2 = 1 then higher (height + 1) else height
  in
  higher 0

let rec climb at levels = if levels > 0 then climb at.parent (levels - 1) else at

let read_upwards document =
  let rec upwards at =
    read document at;
    if at.parent != at then upwards at.parent
  in
  upwards (random_leaf document)

let place_of child parent =
  let rec find place = if parent.children.(place) == child then place else find (place + 1) in
  find 0

let exchange document =
  let height = random_height document in
  let one = climb (random_leaf document) height in
  let other = climb (random_leaf document) height in
  let above_one = one.parent in
  let above_other = other.parent in
  let place_of_one = place_of one above_one in
  let place_of_other = place_of other above_other in
  above_one.children.(place_of_one) <- other;
  above_other.children.(place_of_other) <- one;
  one.parent <- above_other;
  other.parent <- above_one

let replace document =
  let height = random_height document in
  let old = climb (random_leaf document) height in
  let above = old.parent in
  let made = grow document height children_of_a_node in
  made.parent <- above;
  above.children.(place_of old above) <- made

let edit document =
  match Random_numbers.below document.random 8 with
  | 0 -> read_upwards document
  | 1 | 2 -> exchange document
  | _ -> replace document

let run nodes =
  let rec nothing = { text = ""; children = [||]; parent = nothing } in
  let document = { random = Random_numbers.start (); sum = 0; made = 0; root = nothing } in
  document.root <- grow document (levels_below_root nodes) children_of_the_root;
  Operation_times.start ();
  for _ = 1 to nodes / 2 do
    edit document;
    Operation_times.finished ()
  done;
  read_all document document.root;
  document.sum

let () = Callback.register "document-tree" run
