(* Numbers that look random and are the same in every language: those of std::minstd_rand. *)

type t = int ref

let start () : t = ref 1

let next (state : t) =
  state := !state * 48271 mod 2147483647;
  !state

let below state n = next state mod n
