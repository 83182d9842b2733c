"""Loads what gdb needs for Freehold into a program that does not bring it: `source` of this file."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import freehold_gdb  # noqa: F401, registers itself
import freehold_gdb_commands  # noqa: F401
