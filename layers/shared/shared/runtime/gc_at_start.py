"""
Garbage collection at cold start: off while the function's modules are imported.

Nearly all objects created by imports stay for the life of the function. The collector would scan them dozens of times,
6 to 10 % of a start: time that providers wait for, and that is billed. Every context's `handlers/__init__` calls
`begin`, since Python runs it before all other code of the function; each handler calls `done()` on the last line before
its function.
"""

import gc


def begin() -> None:
    """Turn the garbage collector off."""
    gc.disable()


def done() -> None:
    """
    Turn the garbage collector on again, excluding all existing objects.

    Does nothing if the collector is already on: when tests import a handler again, the old objects can be collected.
    """
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
