(* graph, translated directly. *)

type node = {
  number : int;
  mutable first : node;
  mutable second : node;
  mutable third : node;
  mutable fourth : node;
}

let make number =
  let rec made = { number; first = made; second = made; third = made; fourth = made } in
  made

let behind node = function
  | 0 -> node.first
  | 1 -> node.second
  | 2 -> node.third
  | _ -> node.fourth

let lead node edge target =
  match edge with
  | 0 -> node.first <- target
  | 1 -> node.second <- target
  | 2 -> node.third <- target
  | _ -> node.fourth <- target

let edges_of_a_node = 4
let rewired_for_each_node = 32
let rewired_for_two_replaced = 32

let run nodes =
  let random = Random_numbers.start () in
  let random_place () = Random_numbers.below random nodes in
  let places = Array.init nodes make in
  let made = ref nodes in
  let connect place =
    for edge = 0 to edges_of_a_node - 1 do
      lead places.(place) edge places.(random_place ())
    done
  in
  let pair_off one other =
    for edge = 0 to edges_of_a_node - 1 do
      lead one edge other;
      lead other edge one
    done
  in
  let replace place =
    places.(place) <- make !made;
    incr made;
    connect place
  in
  for place = 0 to nodes - 1 do
    connect place
  done;
  let sum = ref 0 in
  for rewired = 1 to nodes * rewired_for_each_node do
    let place = random_place () in
    let edge = Random_numbers.below random edges_of_a_node in
    sum := !sum + (behind places.(place) edge).number;
    lead places.(place) edge places.(random_place ());
    if rewired mod rewired_for_two_replaced = 0 then begin
      let one = random_place () in
      let other = random_place () in
      pair_off places.(one) places.(other);
      replace one;
      replace other
    end
  done;
  !sum

let () = Callback.register "graph" run
