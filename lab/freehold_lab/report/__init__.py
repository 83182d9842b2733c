"""What a result looks like: `terminal.show` and `html.write` draw the same tables and summary."""
