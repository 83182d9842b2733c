(* OCaml's own garbage collector, as it comes: the programs that it takes part in, by their workloads. *)

let () =
  Callback.register "queens" Queens.run;
  Callback.register "binary-trees" Binary_trees.run;
  Callback.register "ring churn" (Rings.churn 8);
  Callback.register "ring ageing" (fun nodes -> Rings.churn (nodes / Rings.ring_size / 10) nodes);
  Callback.register "living ring" Rings.prepare;
  Callback.register "ring cursor" Rings.cursor;
  Callback.register "gcbench" Gcbench.run;
  Callback.register "live tree" Live_tree.prepare;
  Callback.register "live-tree allocate" (Live_tree.run false);
  Callback.register "live-tree store" (Live_tree.run true);
  Callback.register "graph" Graph.run;
  Callback.register "collections" (fun () ->
      let counts = Gc.quick_stat () in
      counts.minor_collections + counts.major_collections)
