(* interpreter, translated directly: cases of a type instead of kinds of one. *)

let text =
  "(letrec fib (lambda (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))"
  ^ "(letrec upto (lambda (n) (if (= n 0) nil (cons n (upto (- n 1)))))"
  ^ "(letrec map (lambda (f l) (if (null l) nil (cons (f (first l)) (map f (rest l)))))"
  ^ "(letrec fold (lambda (f start l) (if (null l) start (f (first l) (fold f start (rest l)))))"
  ^ "(letrec counter (lambda (n) (letrec count (lambda (i) (if (= i 0) n (count (- i 1)))) count))"
  ^ "(+ (fib 12) (fold (lambda (x y) (+ x y)) 0 (map (lambda (x) ((counter x) 5)) (upto 50)))))))))"

let operations = [ "+"; "-"; "<"; "="; "cons"; "first"; "rest"; "null" ]

type code =
  | Constant of int
  | Variable of int
  | Choice of code * code * code
  | Lambda of code * int list
  | Letrec of int * code * code
  | Call of code * code list

type value =
  | Number of int
  | Pair of value * value
  | Nil
  | Closure of code * int list * frame
  | Primitive of int

and frame = { name : int; mutable value : value; outer : frame }

let names : string list ref = ref []

let intern name =
  let rec place known = function
    | [] ->
        names := !names @ [ name ];
        known
    | first :: _ when first = name -> known
    | _ :: others -> place (known + 1) others
  in
  place 0 !names

let left = ref 0

let next_word () =
  while text.[!left] = ' ' do
    incr left
  done;
  let start = !left in
  incr left;
  if text.[start] <> '(' && text.[start] <> ')' then
    while not (String.contains " ()" text.[!left]) do
      incr left
    done;
  String.sub text start (!left - start)

let is_digit letter = '0' <= letter && letter <= '9'

let rec read () =
  match next_word () with
  | "(" -> (
      let before = !left in
      match next_word () with
      | "if" ->
          let test = read () in
          let yes = read () in
          let no = read () in
          ignore (next_word ());
          Choice (test, yes, no)
      | "lambda" ->
          ignore (next_word ());
          let names = read_names () in
          let body = read () in
          ignore (next_word ());
          Lambda (body, names)
      | "letrec" ->
          let name = intern (next_word ()) in
          let value = read () in
          let body = read () in
          ignore (next_word ());
          Letrec (name, value, body)
      | _ ->
          left := before;
          let called = read () in
          Call (called, read_arguments ()))
  | word -> if is_digit word.[0] then Constant (int_of_string word) else Variable (intern word)

and read_names () =
  match next_word () with
  | ")" -> []
  | word ->
      let name = intern word in
      name :: read_names ()

and read_arguments () =
  let before = !left in
  if next_word () = ")" then []
  else begin
    left := before;
    let first = read () in
    first :: read_arguments ()
  end

let is_true = function Number 0 -> false | _ -> true
let truth condition = Number (if condition then 1 else 0)
let number = function Number value -> value | _ -> 0
let rec find name frame = if frame.name = name then frame.value else find name frame.outer

(* A number is an object, as in the other languages. *)
let apply operation one two =
  match operation with
  | 0 -> Number (number one + number two)
  | 1 -> Number (number one - number two)
  | 2 -> truth (number one < number two)
  | 3 -> truth (number one = number two)
  | 4 -> Pair (one, two)
  | 5 -> ( match one with Pair (first, _) -> first | _ -> Nil)
  | 6 -> ( match one with Pair (_, rest) -> rest | _ -> Nil)
  | _ -> truth (one = Nil)

let rec evaluate code frame =
  match code with
  | Constant value -> Number value
  | Variable name -> find name frame
  | Choice (test, yes, no) -> if is_true (evaluate test frame) then evaluate yes frame else evaluate no frame
  | Lambda (body, names) -> Closure (body, names, frame)
  | Letrec (name, value, body) ->
      let inner = { name; value = Nil; outer = frame } in
      inner.value <- evaluate value inner;
      evaluate body inner
  | Call (called, arguments) -> (
      match evaluate called frame with
      | Primitive operation -> (
          match arguments with
          | [ one ] -> apply operation (evaluate one frame) Nil
          | [ first; second ] ->
              let one = evaluate first frame in
              apply operation one (evaluate second frame)
          | _ -> Nil)
      | Closure (body, names, outer) -> call body names arguments outer frame
      | _ -> Nil)

and call body names arguments inner frame =
  match (names, arguments) with
  | name :: names, argument :: arguments ->
      let value = evaluate argument frame in
      call body names arguments { name; value; outer = inner } frame
  | _ -> evaluate body inner

let run times =
  names := [];
  left := 0;
  let program = read () in
  let rec bottom = { name = intern "nil"; value = Nil; outer = bottom } in
  let globals = ref bottom in
  List.iteri
    (fun place operation -> globals := { name = intern operation; value = Primitive place; outer = !globals })
    operations;
  let sum = ref 0 in
  for _ = 1 to times do
    sum := !sum + number (evaluate program !globals)
  done;
  !sum

let () = Callback.register "interpreter" run
