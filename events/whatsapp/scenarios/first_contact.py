"""The verification of the endpoint, and the first messages of customers."""

from events.whatsapp import gateway
from events.whatsapp.payloads import replying_to, text
from events.whatsapp.sample_builder import Expects, Sample, SampleBuilder
from events.whatsapp.sample_data import ADA, COUNTER, JUERGEN, TOMAS

HELLO_MINUTE = 482
HELLO = text("Good morning! My front tyre is flat. Could you look at it today?")

ADVERT = {
    "source_url": "https://fb.me/acme-spring-check",
    "source_id": "120226305854810701",
    "source_type": "ad",
    "body": "Is your bike ready for the road? Spring check for 39.",
    "headline": "Write to the workshop",
    "media_type": "image",
    "image_url": "https://scontent.example/v/spring-check.jpg",
    "ctwa_clid": "sample-click-4f1d2a",
    "welcome_message": {"text": "Hello! What does your bike need?"},
}


def first_contact(builder: SampleBuilder) -> list[Sample]:
    """Plain texts, and several starts of a conversation."""
    greeting = "Grüß Gott! 🚲💨 Machen Sie auch Übergrößen / Lastenräder? Straße: Äußere Gasse 7"
    product = {"catalog_id": "194836987003801", "product_retailer_id": "pannier-20l"}
    return [
        Sample(
            "handshake",
            "Meta checks the endpoint before it sends anything (GET with the verify token).",
            gateway.handshake("handshake", builder.at(480)),
            Expects(),
        ),
        builder.customer_message(
            "text", "A customer writes a plain text.", ADA, HELLO_MINUTE, HELLO
        ),
        builder.customer_message(
            "request_welcome",
            "A new customer opens the chat and has written nothing yet.",
            JUERGEN,
            484,
            {"type": "request_welcome"},
        ),
        builder.customer_message(
            "text_emoji",
            r"Emoji, umlauts and a slash: escaped (`\ud83d\udeb2`, `\u00fc`, `\/`), then signed.",
            JUERGEN,
            485,
            text(greeting),
        ),
        builder.customer_message(
            "referral",
            "A customer comes from an ad that opens WhatsApp; the ad is in `referral`.",
            TOMAS,
            490,
            text("Hi, is the spring check still on?"),
            referral=ADVERT,
        ),
        builder.customer_message(
            "product_question",
            "A question about a product of the catalog (`context.referred_product`).",
            TOMAS,
            494,
            text("Does this one fit a 26 inch weel?"),
            context=replying_to(
                COUNTER, builder.outbound_id(TOMAS, "catalog"), referred_product=product
            ),
        ),
        builder.customer_message(
            "forwarded",
            "A text that the customer forwarded (`context.forwarded`).",
            TOMAS,
            497,
            text("Acme on Mill Lane is the best workshop in town, says my sister."),
            context={"forwarded": True},
        ),
    ]
