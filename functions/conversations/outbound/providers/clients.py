"""The clients of the providers that send messages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.providers.email.ses import Ses
    from shared.providers.sms.aws_eum import AwsSms
    from shared.providers.twilio.messages import Twilio
    from shared.providers.whatsapp.aws_eum import Eum
    from shared.providers.whatsapp.meta_graph import Graph

RECEIPT_WITHIN_MS = 1_000


@dataclass(kw_only=True, eq=False)
class ProviderClients:
    """
    The client of each provider, loaded and created at its first use: a company uses one provider for each channel.

    *make_client* creates a boto3 client by its service name; `within_ms` bounds its calls.
    """

    twilio_url: str
    graph_url: str
    graph_version: str
    eum_meta_version: str
    make_client: Callable[..., Any]

    @cached_property
    def twilio(self) -> Twilio:
        """Twilio, for SMS and WhatsApp."""
        from shared.providers.twilio.messages import Twilio  # noqa: PLC0415 - see the docstring of the class

        return Twilio(self.twilio_url)

    @cached_property
    def aws_sms(self) -> AwsSms:
        """AWS End User Messaging SMS."""
        from shared.providers.sms.aws_eum import AwsSms  # noqa: PLC0415 - see the docstring of the class

        return AwsSms(lambda: self.make_client("pinpoint-sms-voice-v2"))

    @cached_property
    def graph(self) -> Graph:
        """Meta's Graph API."""
        from shared.providers.whatsapp.meta_graph import Graph  # noqa: PLC0415 - see the docstring of the class

        return Graph(self.graph_url, self.graph_version)

    @cached_property
    def eum(self) -> Eum:
        """AWS End User Messaging Social, for WhatsApp."""
        from shared.providers.whatsapp.aws_eum import Eum  # noqa: PLC0415 - see the docstring of the class

        return Eum(lambda: self.make_client("socialmessaging"), self.eum_meta_version)

    @cached_property
    def eum_receipts(self) -> Eum:
        """AWS End User Messaging Social, for receipts that delay no answer."""
        from shared.providers.whatsapp.aws_eum import Eum  # noqa: PLC0415 - see the docstring of the class

        make = self.make_client
        return Eum(
            lambda: make("socialmessaging", within_ms=RECEIPT_WITHIN_MS), self.eum_meta_version
        )

    @cached_property
    def ses(self) -> Ses:
        """Amazon SES."""
        from shared.providers.email.ses import Ses  # noqa: PLC0415 - see the docstring of the class

        return Ses(lambda: self.make_client("sesv2"))
