"""The allocations of a recording again, under any allocator."""
