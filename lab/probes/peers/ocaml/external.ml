(* external, translated directly: a Bigarray has its elements outside of the heap, and its collector is told how many. *)

open Bigarray

type image = { pixels : (int, int8_unsigned_elt, c_layout) Array1.t; mutable self : image }

let pixels_of_an_image = 100_000

let make color =
  let pixels = Array1.create int8_unsigned c_layout pixels_of_an_image in
  Array1.fill pixels color;
  let rec made = { pixels; self = made } in
  made

let run alive images =
  let places = Array.make alive None in
  let sum = ref 0 in
  for made = 0 to images - 1 do
    let image = make (made mod 100) in
    sum := !sum + image.pixels.{made mod pixels_of_an_image};
    places.(made mod alive) <- Some image
  done;
  !sum

let () =
  Callback.register "one image" (run 1);
  Callback.register "eight images" (run 8)
