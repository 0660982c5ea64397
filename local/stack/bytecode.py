"""Adds the bytecode that `sam build` leaves out: `python3.13 -m local.stack.bytecode .aws-sam/build`."""

import compileall
import py_compile
import sys
from pathlib import Path


def compile_all(built: Path) -> None:
    """
    Compile each function and layer in a folder; ends the program when one holds Python that does not compile.

    Without bytecode a cold start takes more than twice as long. "Unchecked hash", because the times of the files in a
    deployed zip are not those of the sources, and nobody edits a deployed file.
    """
    for folder in sorted(path for path in built.iterdir() if path.is_dir()):
        compiled = compileall.compile_dir(
            folder,
            quiet=1,
            workers=0,  # as many as there are processors
            stripdir=folder,  # no path of this machine in what is deployed; equal functions stay equal
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
        if not compiled:
            sys.exit(f"{folder} holds Python that does not compile")


# A program of its own, because the processes it compiles with import the program they belong to.
if __name__ == "__main__":
    compile_all(Path(sys.argv[1]))
