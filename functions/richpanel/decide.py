"""The command `python -m richpanel.decide`; `richpanel.cli.__main__` documents its input and output."""

import sys

from richpanel.cli.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
