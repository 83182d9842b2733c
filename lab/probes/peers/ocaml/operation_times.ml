(* The clock of the harness, for single operations: started before the first and told of each that is finished; or told
   how many nanoseconds one took. *)

external start : unit -> unit = "freehold_operations_start" [@@noalloc]
external finished : unit -> unit = "freehold_operation_done" [@@noalloc]
external add : int -> unit = "freehold_operation_took" [@@noalloc]
external now : unit -> int = "freehold_now" [@@noalloc]
