"""
The start of a function: its modules are imported without looking for garbage among what they make.

All of that stays for as long as the function lives. The collector goes through it dozens of times on the way, which is
a tenth of a start: time that providers wait for, and that is billed. Every context's `handlers/__init__` begins, since
Python runs it before all else of the function, and each handler's last line before the function itself is `done()`.
"""

import gc


def begin() -> None:
    """Collect no garbage from here on."""
    gc.disable()


def done() -> None:
    """
    Collect garbage again, but never look at what is there by now.

    Only the first call in a process changes anything: where handlers are imported again and again, the old ones go.
    """
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
