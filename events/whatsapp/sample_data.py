"""
The numbers of acme and its customers. All data is fictitious.

Phone numbers are of the ranges reserved for fiction (UK 07700 900xxx, US xxx-555-01xx).
"""

from dataclasses import dataclass

COMPANY = "acme"
APP_ID = "1029384756"
APP_SECRET = "sample-app-secret-not-a-real-one"  # noqa: S105 - fictitious: it signs only the samples
VERIFY_TOKEN = "sample-verify-token"  # noqa: S105 - fictitious; each deployed stack has its own
SOCIAL_TOPIC_ARN = "arn:aws:sns:us-east-1:000000000000:parley-local-whatsapp-social"


@dataclass(frozen=True)
class BusinessNumber:
    """A WhatsApp number of the shop; it has ARNs only if it is linked to AWS End User Messaging."""

    phone: str
    """Meta's phone number id."""
    display: str
    waba: str
    arn: str = ""
    waba_arn: str = ""


@dataclass(frozen=True)
class Customer:
    """A customer with the ids that WhatsApp sends: phone digits, business-scoped user id, or both."""

    name: str
    wa_id: str = ""
    user_id: str = ""
    username: str = ""


COUNTER = BusinessNumber(
    phone="106540352242922",
    display="15550783881",
    waba="102290129340398",
)
"""The counter's number, on Graph."""

WORKSHOP = BusinessNumber(
    phone="206540352242933",
    display="15550783999",
    waba="202290129340399",
    arn="arn:aws:social-messaging:us-east-1:000000000000:phone-number-id/0123456789abcdef0123456789abcdef",
    waba_arn="arn:aws:social-messaging:us-east-1:000000000000:waba/fedcba9876543210fedcba9876543210",
)
"""The workshop's number, on AWS End User Messaging Social."""

NEWCOMER = BusinessNumber(phone="606540352242977", display="15550783111", waba="602290129340401")
"""A number of Meta that no company has registered yet."""

STRANGER = BusinessNumber(phone="306540352242944", display="15550783777", waba=COUNTER.waba)
"""A number of the same business account that is not registered in Parley."""

# The company and number of load runs, so that the load never mixes with the demo data.
LOAD_COMPANY = "load"
LOAD_NUMBER = BusinessNumber(phone="406540352242955", display="15550783666", waba="402290129340400")

ADA = Customer("Ada Byrne", wa_id="447700900101")
JUERGEN = Customer("Jürgen Müller", wa_id="447700900102")
PRIYA = Customer(
    "Priya Nair",
    wa_id="447700900103",
    user_id="GB.20417733968512046377",
    username="priya.rides",
)
TOMAS = Customer("Tomás Rivera", wa_id="12025550104")
TOMAS_NEW_NUMBER = Customer("Tomás Rivera", wa_id="12025550194")
ZOE = Customer("Zoë Okafor", wa_id="12025550105")
ROBIN_HIDDEN = Customer("Robin", user_id="GB.13928450716630582214", username="robin.on.two.wheels")
"""Robin before the customer shares the phone number with the shop."""
ROBIN = Customer(
    "Robin",
    wa_id="447700900106",
    user_id=ROBIN_HIDDEN.user_id,
    username=ROBIN_HIDDEN.username,
)
