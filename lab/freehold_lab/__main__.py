import sys

from freehold_lab.cli import main

sys.exit(main())
