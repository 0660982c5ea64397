"""The fixture of this folder."""

from tests.integration.whatsapp.actions.campaigns.runs import runs

__all__ = ["runs"]
