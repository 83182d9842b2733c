(* OCaml's own garbage collector, as it comes: the programs that it takes part in, by their workloads. *)

let () =
  Callback.register "queens" Queens.run;
  Callback.register "binary-trees" Binary_trees.run
