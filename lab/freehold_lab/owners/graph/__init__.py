"""What leads to what: control blocks, the words that lead to them, and which of these own."""
