"""
Commands for the people who run a deployment: `python -m operations.api_keys`, `operations.phones`,
`operations.projects` and `operations.recovery.cli`, all with --help.

They are started in the root of the checkout and use the caller's own AWS credentials and region (profile, environment);
with AWS_ENDPOINT_URL they work on the local stack. What they write has the shapes that the functions read: keys, items
and access patterns come from `functions/`, and nothing of them is repeated here.
"""

import sys
from pathlib import Path

_ROOT = Path(__file__).parent.parent
# In Lambda these two folders are /var/task and /opt/python, on the path by themselves. Whoever starts a command should
# not have to set a variable for that.
sys.path += [str(_ROOT / "functions"), str(_ROOT / "layers" / "shared")]
