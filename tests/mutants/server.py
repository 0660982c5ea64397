"""
Runs the tests of each line of input, in a fork, and prints the status of its end.

The libraries that most tests load are imported once, which halves the time of a run. Each fork reads our modules anew.
"""

import json
import os
import resource
import signal
import sys

import boto3  # noqa: F401 - loaded for the forks
import hypothesis  # noqa: F401 - loaded for the forks
import moto  # noqa: F401 - loaded for the forks
import pydantic  # noqa: F401 - loaded for the forks
import pytest

# pytest warns of Hypothesis, which is imported before it.
OPTIONS = ("-qx", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
CPU_SECONDS, SECONDS = 20, 600  # a run that takes longer is in an endless loop: it fails


def main() -> None:
    """Serve until the input ends."""
    sys.dont_write_bytecode = True  # of a mutant
    for line in sys.stdin:
        child = os.fork()
        if not child:
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
            signal.alarm(SECONDS)
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            os._exit(pytest.main([*OPTIONS, *json.loads(line)]))
        _, status = os.waitpid(child, 0)
        print(status, flush=True)


if __name__ == "__main__":
    main()
