(* queens, translated directly, on immutable lists. *)

type square = { column : int; row : int }

let safe one other =
  let right = other.column - one.column and down = other.row - one.row in
  right <> 0 && down <> 0 && right <> down && right <> -down

let rec length = function
  | [] -> 0
  | _ :: tail -> 1 + length tail

let rec filter wanted = function
  | [] -> []
  | head :: tail ->
    let tail = filter wanted tail in
    if wanted head then head :: tail else tail

let rec squares size column row =
  if column < size then { column; row } :: squares size (column + 1) row
  else if row = size - 1 then []
  else squares size 0 (row + 1)

let rec search judge size placed opened found =
  match opened with
  | [] -> if length placed = size then judge placed found else found
  | queen :: opened ->
    let found = search judge size placed opened found in
    search judge size (queen :: placed) (filter (safe queen) opened) found

let count _ found = found + 1
let run size = search count size [] (squares size 0 0) 0

(* Without functions as arguments. *)

let rec filter_safe queen = function
  | [] -> []
  | head :: tail ->
    let tail = filter_safe queen tail in
    if safe queen head then head :: tail else tail

let rec search_directly size placed opened found =
  match opened with
  | [] -> if length placed = size then found + 1 else found
  | queen :: opened ->
    let found = search_directly size placed opened found in
    search_directly size (queen :: placed) (filter_safe queen opened) found

let run_directly size = search_directly size [] (squares size 0 0) 0

let () =
  Callback.register "queens" run;
  Callback.register "queens, direct" run_directly
