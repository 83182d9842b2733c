"""What a recording says: by site, by process, and which blocks are freed together."""
