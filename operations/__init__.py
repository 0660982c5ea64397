"""
Commands for operators of a deployment; `python -m operations --help` lists them.

Run them in the root of the checkout. They use the caller's own AWS credentials and region (profile, environment); with
--local they work on the stack that `make up` started. They import keys, items and access patterns from `functions/`, so
that what they write has the shapes that the functions read.
"""

import sys
from pathlib import Path

_ROOT = Path(__file__).parent.parent
# In Lambda these two folders are /var/task and /opt/python, which are on the path already. Added at import, so that
# operators need not set PYTHONPATH.
sys.path += [str(_ROOT / "functions"), str(_ROOT / "layers" / "shared")]
