"""What the sealed keys of conversations are bound to: the API of a context and the inbox seal the same keys."""

from shared.aws.sqs_fifo import digest


def whatsapp_address(company: str) -> str:
    """Return what the keys of a company's WhatsApp conversations are bound to (`shared.api.opaque_ids`)."""
    return digest("conversation", company)
