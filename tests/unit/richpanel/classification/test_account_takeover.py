"""Messages by which another person could take over an account or its orders: agents decide them."""

import pytest

from richpanel.classification import Classification, Message, Scored
from richpanel.classification.classifier import classify
from richpanel.classification.taxonomy import Intent, Modifier, RiskFlag
from richpanel.decisions.model_answers import ModelDecision, merge
from richpanel.inbound.channels import Channel
from tests.cases import each
from tests.unit.richpanel.situations import outcome

TAG = "mw-security-sensitive"


def classified(text: str) -> Classification:
    return classify(Message(text=text, channel=Channel.EMAIL))


@each(
    "text",
    [
        "Please change the email on my account to something newer",
        "I need to update my phone number on order 4471",
        "the email address on my order is wrong, should end in .com",
        "Can you switch the account email over? I can't get into the old inbox any more",
        "I've lost access to my old email, send everything here from now on",
        "my old mailbox no longer exists so i cant confirm anything",
        "Hi, I'm not the account holder but I need this order sorted out",
        "I am writing on behalf of my aunt about her order",
        "the order is under my husband's name, can you change it for me",
        "No tengo acceso a mi correo anterior, ¿pueden cambiar el correo de mi cuenta?",
    ],
)
def test_a_request_to_change_an_account_is_left_to_agents(text: str) -> None:
    answer = classified(text)
    decision = outcome(answer)

    assert Modifier.ACCOUNT_CHANGE in answer.modifiers
    assert RiskFlag.SECURITY_SENSITIVE in decision.risk_flags
    assert decision.reply is None
    assert TAG in decision.tags


@pytest.mark.parametrize(
    "text",
    [
        "Please send order 5512 to my office instead, nobody is home during the day",
        "We moved last month, can you change the delivery address on my order?",
        "could you redirect the parcel to my neighbour's?",
        "ship it to a different address please: 9 Lake View, Tampa",
        "I need the shipping address updated before you send it, I gave you my old flat",
        "can my order go to my brothers place, im abroad",
        "Quiero cambiar la dirección de entrega de mi pedido",
    ],
)
def test_a_new_place_of_delivery_is_left_to_agents_and_locks_no_later_message(text: str) -> None:
    answer = classified(text)
    decision = outcome(answer)

    assert Modifier.DELIVERY_REROUTE in answer.modifiers
    assert decision.reply is None
    assert TAG in decision.tags
    assert not decision.risk_flags


@each(
    "text",
    [
        "I made a typo in the street name on my order, can you fix it before it ships?",
        "I forgot to add my apartment number on order 8812",
        "the zip code on my order is wrong, it should be 10025",
        "Can you add another candle to my order before it ships?",
        "please swap the blue shirt for the green one on my order",
        "Where is my order? I was told it would be here on Monday",
        "Do you ship to Portugal?",
        "Send me an update by email please, my order is late",
        "The tracking link in your email does not open",
        "The courier left my parcel at number 12, that is not us",
        "I'd like to return the shoes, how do I get a label?",
        "I never got the confirmation email for my order",
        "can you call me, my number is on the order",
        "Can you send the green one instead? I got the blue one",
        "I was redirected to PayPal and then charged twice",
        "You never answered my previous email, where is my package?",
        "I can't open the attachment of your email",
        "I can't sign in to my account to see the tracking",
        "I bought a new phone for my daughter and the case does not fit",
        "Please replace the phone, the screen is broken",
        "I am reaching out on behalf of our agency about a collaboration",
        "I deleted your email by accident, can you send the tracking again?",
    ],
)
def test_other_requests_are_not_marked(text: str) -> None:
    modifiers = classified(text).modifiers

    assert not modifiers & {Modifier.ACCOUNT_CHANGE, Modifier.DELIVERY_REROUTE}


@pytest.mark.parametrize(
    "text", ["Bitte an meine neue Adresse liefern", "Please deliver to my new place"]
)
def test_a_change_that_only_the_model_recognises_is_left_to_agents(text: str) -> None:
    model = ModelDecision.parse(
        '{"schema_version":"rp_decision_v1","language":"de","intents":[{"intent":'
        '"address_change_order_edit","confidence":0.97}],"risk_flags":[],"wants_human":false}'
    )

    merged, _ = merge(classified(text), model)

    assert merged.intents[0] == Scored(Intent.ADDRESS_CHANGE_ORDER_EDIT, 0.97)
    assert Modifier.DELIVERY_REROUTE in merged.modifiers
