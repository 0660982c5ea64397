"""
The provider sandbox: one HTTP server that plays the outside services Parley talks to.

It checks requests by the providers' own rules, answers in their shapes, keeps what they would have
acted on (`GET /_sent`), reports deliveries to our webhook, signed, and fails when told to
(`POST /_faults`). It never knows Parley's code, never reaches a real provider, is never deployed.

Tests and simulations run it in their own process: `with running(Config()) as sandbox: ...`;
everything else starts `python -m local.sandbox --port N`.
"""

from local.sandbox.config import Config, Number
from local.sandbox.faults import Fault
from local.sandbox.server import running
from local.sandbox.state import Sandbox, Sent

__all__ = ["Config", "Fault", "Number", "Sandbox", "Sent", "running"]
