// From here on the names of the compiler's atomic builtins are their own again.

#undef __atomic_load_n
#undef __atomic_store_n
#undef __atomic_exchange_n
#undef __atomic_fetch_add
#undef __atomic_add_fetch
#undef __atomic_sub_fetch
#undef __atomic_compare_exchange_n
