"""
Creates and publishes the key pairs that encrypt forms with the data endpoint: one per business account.

    make       a new pair; the private key becomes a new version of the account's parameter
    remember   the version and the public key, before any client can use it
    publish    at the provider, for each number
    note       which number has which version

The data endpoint accepts the newest pair and the one before, from the second step on. If the call ends early, the next
one continues it; at most one version of the parameter stays unused.
"""

from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from shared.api.auth import Scope
from whatsapp import store
from whatsapp.actions.calls import participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Flag, SenderInput
from whatsapp.actions.flows.builder import BUILDER
from whatsapp.actions.flows.providers.graph import post_form
from whatsapp.api.queries import NotFound
from whatsapp.sending.failures import NotConfigured
from whatsapp.sending.views import View
from whatsapp.store.items import Phone
from whatsapp.store.items.contacts.customers import FlowKeys

KEY_BITS = 2_048
_MOST_PAIRS = 2
_AWS_KEY = "alias/aws/ssm"  # costs nothing


class SetFlowPublicKey(SenderInput):
    """The number whose forms shall be encrypted. `rotate` makes a new key pair for all numbers of its account."""

    rotate: Flag = False


class PublishedKey(View):
    """The key pair in force: *version*, its *public_key* (PEM), and the numbers of the account that have it."""

    version: int
    public_key: str
    phones: list[str]


class KeyAtProvider(View):
    """
    The public key that the provider has for a number. *is_ours*: the data endpoint has its private key. *is_newest*:
    it belongs to the newest pair. *signature_status*: VALID, or MISMATCH if the provider did not sign the key.
    """

    public_key: str | None = None
    signature_status: str | None = None
    is_ours: bool
    is_newest: bool


@BUILDER.changes("remote_eum", Scope.WHATSAPP_FLOWS)
def set_flow_public_key(call: Call[SetFlowPublicKey]) -> PublishedKey:
    """
    Publish the public key of the account's key pair for a number; the first call makes the pair.

    With `rotate` a new pair is made and published for each number of the account that has a key. A rotation that was
    interrupted is completed first, instead of making another pair. The private key is a SecureString of the parameter
    store that only the data endpoint can read.
    """
    phone = participants.sender_of(call)
    account = participants.account_of(call, phone.waba_meta_id)
    pairs = _with_pair(call, phone.waba_meta_id, {one.phone for one in account})
    newest = pairs.keys[0]
    version, public_key = int(newest["version"]), str(newest["publicKey"])
    late = [one for one in account if pairs.published.get(one.phone, version) != version]
    for number in [phone, *(one for one in late if one.phone != phone.phone)]:
        _publish(call, number, public_key)
        if pairs.published.get(number.phone) != version:
            published = pairs.published | {number.phone: version}
            pairs = store.forms.replace_keys(
                call.table, pairs.model_copy(update={"published": published})
            )
    having = sorted(name for name, held in pairs.published.items() if held == version)
    return PublishedKey(version=version, public_key=public_key, phones=having)


@BUILDER.reads("remote_eum", Scope.WHATSAPP_FLOWS)
def get_flow_public_key(call: Call[SenderInput]) -> KeyAtProvider:
    """Return the public key that the provider has for a number, its signature status, and whether it is ours."""
    phone = participants.sender_of(call)
    public_key, status = _at_provider(call, phone)
    pairs = store.forms.keys_of(call.table, phone.waba_meta_id)
    own = [] if pairs is None or pairs.company != call.company else pairs.keys
    known = [_compact(str(pair["publicKey"])) for pair in own]
    found = _compact(public_key or "")
    return KeyAtProvider(
        public_key=public_key,
        signature_status=status,
        is_ours=bool(found) and found in known,
        is_newest=bool(found) and known[:1] == [found],
    )


def _with_pair(call: Call[SetFlowPublicKey], waba: str, phones: set[str]) -> FlowKeys:
    """
    Return the key pairs of an account with these *phones*, with a new pair if there is none, or for a rotation.

    Raises NotFound.
    """
    pairs = store.forms.keys_of(call.table, waba) or FlowKeys(
        pk=FlowKeys.key(waba), company=call.company
    )
    if pairs.company != call.company:
        raise NotFound("phone: number not found")
    if pairs.keys:
        newest = pairs.keys[0]
        held = [version for phone, version in pairs.published.items() if phone in phones]
        is_complete = set(held) <= {newest["version"]}
        if not call.input.rotate or newest["cause"] == call.cause or not is_complete:
            return pairs
    private, public = _new_pair()
    added = {"version": _keep(call, waba, private), "publicKey": public, "cause": call.cause}
    kept = [added, *pairs.keys][:_MOST_PAIRS]
    return store.forms.replace_keys(call.table, pairs.model_copy(update={"keys": kept}))


def _new_pair() -> tuple[str, str]:
    """Return a new private and public key (PEM)."""
    key = rsa.generate_private_key(public_exponent=65_537, key_size=KEY_BITS)
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return private.decode(), public.decode()


def _keep(call: Call[Any], waba: str, private: str) -> int:
    """Write a private key as the newest version of the account's parameter, and return the version."""
    written: Any = call.resources.parameters().set(
        f"{call.resources.flow_keys_path}/{waba}",
        private,
        overwrite=True,
        parameter_type="SecureString",
        kms_key_id=_AWS_KEY,
    )
    return int(written["Version"])


def _publish(call: Call[Any], phone: Phone, public_key: str) -> None:
    """Set the public key of a number at its provider. Safe to repeat."""
    if phone.provider == "eum":
        remote.eum_of(call, phone).call(
            "put_whatsapp_business_public_key",
            originationPhoneNumberId=_aws_phone(phone),
            businessPublicKey=public_key,
        )
        return
    graph = remote.graph_of(call, phone)
    path = (phone.phone, "whatsapp_business_encryption")
    remote.answered(lambda: post_form(graph, path, {"business_public_key": public_key}))


def _at_provider(call: Call[Any], phone: Phone) -> tuple[str | None, str | None]:
    """
    Return the public key of a number at its provider, and the status of its signature.

    Not confirmed by our own traffic: Meta's OpenAPI document puts both into a list `data`, its guide does not.
    """
    if phone.provider == "eum":
        answer = remote.eum_of(call, phone).call(
            "get_whatsapp_business_public_key", originationPhoneNumberId=_aws_phone(phone)
        )
        return answer.get("businessPublicKey"), answer.get("businessPublicKeySignatureStatus")
    answer = remote.graph_of(call, phone).get(phone.phone, "whatsapp_business_encryption")
    listed = answer.get("data")
    found = (listed[0] if listed else {}) if isinstance(listed, list) else answer
    return found.get("business_public_key"), found.get("business_public_key_signature_status")


def _aws_phone(phone: Phone) -> str:
    if not phone.aws_phone:
        raise NotConfigured("the number has no id of AWS End User Messaging")
    return phone.aws_phone


def _compact(pem: str) -> str:
    """Return a key without white space, which providers change."""
    return "".join(pem.split())
