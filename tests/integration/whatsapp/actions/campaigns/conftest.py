"""The fixtures of this folder."""

from tests.integration.whatsapp.actions.campaigns.runs import runs, short_pages

__all__ = ["runs", "short_pages"]
