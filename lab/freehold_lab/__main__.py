import sys

try:
    from freehold_lab.cli import main

    sys.exit(main())
except KeyboardInterrupt:  # also while modules are read
    sys.exit(130)
