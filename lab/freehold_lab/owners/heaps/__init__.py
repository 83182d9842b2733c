"""The blocks that an allocator has handed out, read from its own structures."""
