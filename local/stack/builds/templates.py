"""
Rewrites the templates of a build as JSON: `python3.13 -m local.stack.builds.templates .aws-sam/build`.

`sam deploy` reads each template about thirty times, JSON much faster than YAML.
"""

import json
import sys
from pathlib import Path

import yaml


def rewrite(built: Path) -> None:
    """Rewrite the template of a build and its nested stacks. Safe to repeat."""
    for template in [built / "template.yaml", *sorted(built.glob("*/template.yaml"))]:
        content = yaml.safe_load(template.read_text())  # `sam build` has replaced the short tags
        template.write_text(json.dumps(content, indent=1) + "\n")


# A separate program, because the environment of a build has no YAML parser.
if __name__ == "__main__":
    rewrite(Path(sys.argv[1]))
