"""The fixtures of this folder."""

from tests.integration.whatsapp.actions.analytics.welcomes import welcomes
from tests.integration.whatsapp.actions.campaigns.runs import runs

__all__ = ["runs", "welcomes"]
