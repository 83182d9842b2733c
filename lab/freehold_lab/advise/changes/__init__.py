"""What could be changed, and which of it is worth a piece of advice."""
