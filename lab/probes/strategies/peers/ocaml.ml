(* OCaml's own garbage collector, as it comes. *)

let () =
  Callback.register "collections" (fun () ->
      let counts = Gc.quick_stat () in
      counts.minor_collections + counts.major_collections)
