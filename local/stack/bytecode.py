"""Adds the bytecode that `sam build` leaves out: `python3.13 -m local.stack.bytecode .aws-sam/build`."""

import compileall
import py_compile
import sys
from pathlib import Path


def compile_all(built: Path) -> None:
    """
    Compile each function and layer in a folder; exits with an error if a Python file does not compile.

    Without bytecode a cold start takes more than twice as long. "Unchecked hash", because the file times in a deployed
    zip differ from those of the sources, and deployed files are never edited.
    """
    for folder in sorted(path for path in built.iterdir() if path.is_dir()):
        compiled = compileall.compile_dir(
            folder,
            quiet=1,
            workers=0,  # one per processor
            stripdir=folder,  # keeps local paths out of the deployed files; equal functions stay equal
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
        if not compiled:
            sys.exit(f"{folder} holds Python that does not compile")


# A separate program, because its worker processes import the main module.
if __name__ == "__main__":
    compile_all(Path(sys.argv[1]))
