"""Runs a program with the recorder in it, and keeps what it records."""
