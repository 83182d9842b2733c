# Moves a program from the names of Freehold 0.1 to today's: sed -E -i -f from-0.1.sed FILE...
# The table behind it: docs/decisions/0025-names.md. GNU sed.
#
# Review the diff: `.growth =` and `.observer =` are changed in any struct. Not changed: names behind a namespace alias
# or a using-declaration, names behind `->`, and names that are now in freehold::detail, such as round_up.

# The whole file at once: whether a header is needed is seen behind its place
:read
$! {
    N
    b read
}

# Headers
s#freehold/collection/local\.hpp#freehold/traced/traced_local.hpp#g
s#freehold/collection/persistent\.hpp#freehold/traced/traced_root.hpp#g
s#freehold/collection/borrowed\.hpp#freehold/traced/traced_view.hpp#g
s#freehold/collection/(ephemeron|traced_\w+)\.hpp#freehold/traced/\1.hpp#g
s#freehold/collection/shared_cyclic(_weak)?_ptr\.hpp#freehold/cyclic/concurrent_cyclic\1_ptr.hpp#g
s#freehold/collection/(cycl\w+)\.hpp#freehold/cyclic/\1.hpp#g
s#freehold/collection/trace\.hpp#freehold/tracing/trace.hpp#g
s#freehold/collection/diagnosis\.hpp#freehold/diagnosis/diagnosis.hpp#g
s#freehold/pointers/intrusive_ptr\.hpp#freehold/pointers/ref_counted.hpp#g

# Names that are common words: only with their namespace
s/\bfreehold::local\b/freehold::traced_local/g
s/\bfreehold::persistent\b/freehold::traced_root/g
s/\bfreehold::borrowed\b/freehold::traced_view/g

# Names that nothing else has
s/\bshared_cyclic(_weak)?_ptr\b/concurrent_cyclic\1_ptr/g
s/\bmake_shared_cyclic\b/make_shared_with_weak/g
s/\bmake_borrowed\b/make_unrooted/g
s/\bcycle_collector::set_observer\b/cycle_collector::on_collection/g
s/\bmost_young_bytes\b/max_nursery_bytes/g
s/\byoung_bytes\b/nursery_bytes/g
s/\bended_objects\b/destroyed_objects/g
s/\bleast_full_bytes\b/min_full_bytes/g
s/\bmost_idle\b/max_idle/g
s/\bleast_alignment\b/min_alignment/g

# Members of traced_heap_options, where they are set
s/\.growth(\s*=([^=]|$))/.growth_factor\1/g
s/\.observer(\s*=([^=]|$))/.on_collection\1/g

# Headers that brought more
/interop\/shared_root/! {
    /\bshared_root\b/ s#\#include <freehold/(freehold|cyclic/\w*cyclic_ptr)\.hpp>#&\n\#include <freehold/interop/shared_root.hpp>#
}
/diagnosis\/diagnosis/! {
    /\b(make_diagnosed|report_cycles|who_owns|draw_ownership)\b/ s#\#include <freehold/freehold\.hpp>#&\n\#include <freehold/diagnosis/diagnosis.hpp>#
}
