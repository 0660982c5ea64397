"""
The start of a function: its modules are imported without looking for garbage among what they make.

Nearly all of that stays for as long as the function lives. The collector goes through it dozens of times on the way,
6 to 10 % of a start: time that providers wait for, and that is billed. Every context's `handlers/__init__` begins,
since Python runs it before all else of the function, and each handler's last line before the function is `done()`.
"""

import gc


def begin() -> None:
    """Collect no garbage from here on."""
    gc.disable()


def done() -> None:
    """
    Collect garbage again, but never look at what is there by now.

    Does nothing where the collector is on already: of a handler that is imported anew, as tests do, the old one can go.
    """
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
