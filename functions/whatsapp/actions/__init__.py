"""
The WhatsApp Business API as named actions: one typed function per action, found by its name.

Packages by domain contain the actions. `ACTIONS` is the generated index of their modules (`make docs`), so that a call
imports the module of its action only.
"""

from whatsapp.actions.dispatch.index import ACTIONS

__all__ = ["ACTIONS"]
