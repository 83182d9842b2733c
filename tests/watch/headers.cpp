// Headers whose preprocessed lines are watched, each included alone, and how many standard headers they bring. Never
// compiled: to watch another, include it here.

#include <freehold/cyclic.hpp>
#include <freehold/freehold.hpp>
#include <freehold/memory.hpp>
#include <freehold/pointers.hpp>
#include <freehold/traced.hpp>

#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/memory/concurrent_pool_resource.hpp>
#include <freehold/memory/monotonic_resource.hpp>
#include <freehold/memory/pool_resource.hpp>
#include <freehold/memory/small_block_allocator.hpp>
#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/intrusive_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/thin_ptr.hpp>
#include <freehold/reclamation/hazard_pointer.hpp>
#include <freehold/reclamation/rcu_domain.hpp>
#include <freehold/traced/traced_heap.hpp>
