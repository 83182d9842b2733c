(* cache, translated directly. *)

type entry = { key : int; mutable is_cached : bool; mutable next : entry option; mutable previous : entry option }

let lookups_for_each_entry = 16
let entries_for_a_client = 8

let run entries =
  let random = Random_numbers.start () in
  let number_of_clients = max 1 (entries / entries_for_a_client) in
  let clients = Weak.create number_of_clients in
  let places = Hashtbl.create 16 in
  let newest = ref None in
  let oldest = ref None in
  let unlink entry =
    (match entry.previous with Some previous -> previous.next <- entry.next | None -> newest := entry.next);
    match entry.next with Some next -> next.previous <- entry.previous | None -> oldest := entry.previous
  in
  let push entry this =
    entry.previous <- None;
    entry.next <- !newest;
    (match !newest with Some first -> first.previous <- this | None -> oldest := this);
    newest := this
  in
  let drop_oldest () =
    match !oldest with
    | None -> ()
    | Some entry ->
        entry.is_cached <- false;
        unlink entry;
        Hashtbl.remove places entry.key
  in
  let look_up key =
    match Hashtbl.find_opt places key with
    | Some entry ->
        (match !newest with
        | Some first when first == entry -> ()
        | _ ->
            unlink entry;
            push entry (Some entry));
        entry
    | None ->
        let made = { key; is_cached = true; next = None; previous = None } in
        Hashtbl.replace places key made;
        push made (Some made);
        if Hashtbl.length places > entries then drop_oldest ();
        made
  in
  let sum = ref 0 in
  for _ = 1 to lookups_for_each_entry * entries do
    let one = Random_numbers.below random (2 * entries) in
    let key = min one (Random_numbers.below random (2 * entries)) in
    let found = look_up key in
    let client = Random_numbers.below random number_of_clients in
    (match Weak.get clients client with Some seen when seen.is_cached -> sum := !sum + seen.key | _ -> ());
    Weak.set clients client (Some found)
  done;
  !sum

let () = Callback.register "cache" run
