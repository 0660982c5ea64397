"""
The failures of actions, besides the failures of sending (`whatsapp.sending.failures`).

    Exception
    + LeftInDoubt        the provider's answer was lost; the call is not repeated
    + Unsupported        the provider offers no such call; the text says why
    + StateConflict      the object is in a state that forbids the change
    + ManagedByTemplate  the deployment's template manages the resource
    + SignatureRefused   no active secret has made the signature of a given webhook
    + SecretGiven        a parameter is a secret, which calls never carry
    + BadEnvelope        the request cannot be read
"""

from http import HTTPStatus


class LeftInDoubt(Exception):
    """The provider's answer was lost. *action_id* names the attempt; the text says how to find out its outcome."""

    def __init__(self, action_id: str, find: str) -> None:
        super().__init__(f"the provider's answer was lost, and the call is not repeated; {find}")
        self.action_id = action_id


class Unsupported(Exception):
    """No provider offers this; the text gives the reason."""


class StateConflict(Exception):
    """The object's state forbids the change; the text names the state."""


class ManagedByTemplate(Exception):
    """The resource belongs to the deployment; the text names the template's parameter."""


class SignatureRefused(Exception):
    """No active secret has made the signature."""


class SecretGiven(Exception):
    """A secret was given as a parameter. The text has its name only."""


class BadEnvelope(Exception):
    """The request cannot be read: *status* and *code* say why, the text names the rule."""

    def __init__(self, status: HTTPStatus, code: str, text: str) -> None:
        super().__init__(text)
        self.status, self.code = status, code
