"""
The world in which `python -m conversations.dialogues` plays: the handlers of conversations in this process, over moto.

    account.py           tables, queues, a bucket and secrets in moto
    handlers.py          the handlers, invoked as the event sources would
    company_systems.py   the webhooks of the company's functions
    world.py             projects, customers, the model and the clock
"""

from local.dialogues.world import emulated

__all__ = ["emulated"]
