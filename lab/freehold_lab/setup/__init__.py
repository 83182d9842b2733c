"""What is on this machine, and what is installed: `environment` finds it, `doctor` lists it, `install` adds to it.

`debian` needs the standard library only: ./freehold uses it before any other package is there.
"""
