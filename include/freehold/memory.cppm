// Freehold's memory resources as a module. Not in it, as in no umbrella: concurrent_monotonic_resource.hpp,
// containers.hpp, heap_profile.hpp, pmr.hpp and replace_new.hpp.

module;

#include "memory.hpp"

export module freehold.memory;

export namespace freehold {
using freehold::aligned_resource;
using freehold::allocation_counts;
using freehold::atomic_counting;
using freehold::concurrent_pool_resource;
using freehold::counting_resource;
using freehold::failing_resource;
using freehold::get_precondition_handler;
using freehold::guard_resource;
using freehold::held_memory;
using freehold::limit_from_cgroup;
using freehold::limiting_resource;
using freehold::logging_resource;
using freehold::monotonic_growth;
using freehold::monotonic_resource;
using freehold::new_delete_resource;
using freehold::null_resource;
using freehold::operator==;
using freehold::page_cache;
using freehold::page_cache_options;
using freehold::page_cache_statistics;
using freehold::page_cache_thread;
using freehold::plain_counting;
using freehold::pool_class_statistics;
using freehold::pool_resource;
using freehold::pool_statistics;
using freehold::pooled_object;
using freehold::precondition_failure;
using freehold::precondition_handler;
using freehold::print_json;
using freehold::print_precondition_failure;
using freehold::region_resource;
using freehold::report_guarded_faults;
using freehold::resource_allocator;
using freehold::run_length_resource;
using freehold::set_precondition_handler;
using freehold::small_block_allocator;
using freehold::small_block_pool;
using freehold::stack_resource;
using freehold::synchronized_resource;
using freehold::to_json;
using freehold::used_and_held;
}  // namespace freehold
