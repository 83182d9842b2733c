"""Copies of std::shared_ptr: how many each line makes, and which were needless."""
