(* The clock of the harness, for single operations. *)

external start : unit -> unit = "freehold_operations_start" [@@noalloc]
external finished : unit -> unit = "freehold_operation_done" [@@noalloc]
