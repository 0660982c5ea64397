"""
The provider sandbox: one HTTP server that simulates the external services that Parley calls.

It checks requests by the providers' rules, responds in their formats, records accepted requests
(`GET /_sent`), sends signed delivery webhooks, and returns configured failures (`POST /_faults`).
It does not import Parley's functions, does not call real providers, and is not deployed.

Tests and simulations run it in their own process: `with running(Config()) as sandbox: ...`;
the local stack starts `python -m local.sandbox --port N`.
"""

from local.sandbox.config import Config, Number
from local.sandbox.faults import Fault
from local.sandbox.server import running
from local.sandbox.state import Sandbox, Sent

__all__ = ["Config", "Fault", "Number", "Sandbox", "Sent", "running"]
