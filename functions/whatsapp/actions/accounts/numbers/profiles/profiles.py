"""
Changes the public profile of a number: here first, then at the provider.

    local_only      changed here; the number has no access to Graph, so people apply it by hand
    pending_sync    changed here, and not yet at the provider: the schedule tries again, three times
    synced          as at the provider when it was last read or written
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from shared.api.auth import RateLimited
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.accounts.numbers import reports
from whatsapp.actions.accounts.numbers.profiles import pictures
from whatsapp.sending.failures import NotConfigured, ProviderRejected, ProviderUnavailable
from whatsapp.store.accounts.numbers import profiles
from whatsapp.store.items.accounts.accounts import BusinessProfile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whatsapp.actions.calls.remote import GraphAccount
    from whatsapp.configuration.resources import SendingResources
    from whatsapp.store.items import Phone

FIELDS = ("about", "address", "description", "email", "websites", "vertical")
PICTURE = "picture"
MOST_ATTEMPTS = 3
_EDGE = "whatsapp_business_profile"


def load(resources: SendingResources, phone: Phone) -> BusinessProfile | None:
    """Return the stored profile of a number."""
    profile = profiles.get(resources.table, key_of(resources, phone))
    return profile if profile and _is_of(profile, phone) else None


def key_of(resources: SendingResources, phone: Phone) -> str:
    """Return the key of a number's profile: the account's own for its default or only number."""
    siblings = [
        entry
        for entry in store.phones.of_company(resources.table, phone.company)
        if entry.get("waba") == phone.waba_meta_id
    ]
    if phone.is_default or len(siblings) <= 1:
        return BusinessProfile.key(phone.waba_meta_id)
    return BusinessProfile.of_phone(phone.waba_meta_id, phone.phone)


def change(
    resources: SendingResources, phone: Phone, given: Mapping[str, Any], picture: str | None
) -> BusinessProfile:
    """
    Store a change, and make it at the provider. Safe to repeat.

    Raises NotConfigured (the change is kept as local_only), ProviderRejected, ProviderUnavailable and TooFast (it is
    kept as pending_sync), and Transient.
    """
    try:
        graph = reports.graph_with(resources, phone)
    except NotConfigured as fault:
        _keep_change(resources, phone, given, picture, "local_only")
        raise NotConfigured(
            f"{fault}; the change is kept here, and "
            "get_business_profile_apply_instructions says how to apply it"
        ) from None
    if picture is not None and phone.app_id is None:
        raise NotConfigured("the number has no appId, which uploads of pictures need")
    changed = _keep_change(resources, phone, given, picture, "pending_sync")
    return _push(resources, graph, phone, changed)


def refreshed(resources: SendingResources, phone: Phone) -> tuple[BusinessProfile, str | None]:
    """
    Read the profile at the provider and store changes; pending changes stay. Returns it, and the picture's address,
    which the provider lets expire.

    Raises NotConfigured, ProviderRejected, ProviderUnavailable, TooFast and Transient.
    """
    graph = reports.graph_with(resources, phone)
    fields = ",".join([*FIELDS, "profile_picture_url"])
    found = entry_of(graph.get(phone.phone, _EDGE, fields=fields))
    reported = {name: found.get(name) or None for name in FIELDS}
    stored = load(resources, phone)
    pending = set(stored.unsynced or ()) if stored else set()
    facts: dict[str, Any] = {
        **{name: value for name, value in reported.items() if name not in pending},
        "business_name": phone.verified_name or phone.business_account_name,
        "remote": {name: value for name, value in reported.items() if value},
    }
    if not pending:
        facts["sync_status"] = "synced"
    before = stored or _new(resources, phone)
    profile = before.model_copy(update=facts)
    if stored is None or profile != stored:
        profile = _written(resources, phone, profile)
    url = found.get("profile_picture_url")
    return profile, url if isinstance(url, str) else None


def finish_pending(resources: SendingResources, phone: Phone) -> bool | None:
    """
    Try a pending change again, unless three attempts failed. Returns whether it is made now; None without one to try.

    Safe to repeat. Raises Transient.
    """
    profile = load(resources, phone)
    if profile is None or profile.sync_status != "pending_sync":
        return None
    if profile.attempts >= MOST_ATTEMPTS:
        return None
    try:
        _push(resources, reports.graph_with(resources, phone), phone, profile)
    except (NotConfigured, ProviderRejected, ProviderUnavailable, RateLimited):
        return False
    return True


def entry_of(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the profile of Graph's answer, in the form of its guide or of its document."""
    data = answer.get("data")
    entry = data[0] if isinstance(data, list) and data and isinstance(data[0], dict) else {}
    inner = entry.get("business_profile")
    return inner if isinstance(inner, dict) else entry


def _keep_change(
    resources: SendingResources,
    phone: Phone,
    given: Mapping[str, Any],
    picture: str | None,
    status: str,
) -> BusinessProfile:
    before = load(resources, phone) or _new(resources, phone)
    names = [*given, *([PICTURE] if picture else [])]
    changed = before.model_copy(
        update={
            **{name: value or None for name, value in given.items()},
            "business_name": phone.verified_name or phone.business_account_name,
            "unsynced": sorted({*(before.unsynced or ()), *names}),
            "picture_s3_key": picture or before.picture_s3_key,
            "sync_status": status,
            "attempts": 0,
            "sync_error": None,
        }
    )
    return _written(resources, phone, changed)


def _push(
    resources: SendingResources, graph: GraphAccount, phone: Phone, profile: BusinessProfile
) -> BusinessProfile:
    """
    Make the unsynced changes at the provider, and record the outcome. Raises the provider's failures.

    A picture that cannot be uploaded holds up no field: the fields are stored at the provider first.
    """
    unsynced = profile.unsynced or []
    handle, fault = _handle(resources, graph, phone, profile)
    body: dict[str, Any] = {name: _sent(profile, name) for name in unsynced if name in FIELDS}
    body |= {"profile_picture_handle": handle} if handle else {}
    try:
        if body or fault is None:
            graph.post(phone.phone, _EDGE, body={"messaging_product": "whatsapp", **body})
    except Exception as failure:
        _failed(resources, phone, profile, _code_of(failure))
        raise
    remote = (profile.remote or {}) | {
        name: getattr(profile, name) for name in body if name in FIELDS
    }
    synced = profile.model_copy(
        update={
            "unsynced": None,
            "picture_s3_key": None,
            "sync_status": "synced",
            "attempts": 0,
            "sync_error": None,
            "remote": {name: value for name, value in remote.items() if value},
        }
    )
    if fault is None:
        return _written(resources, phone, synced)
    if isinstance(fault, ProviderRejected | _PictureGone):  # no repetition changes the answer
        _written(resources, phone, synced)
    else:
        kept = {
            "unsynced": [PICTURE],
            "picture_s3_key": profile.picture_s3_key,
            "sync_status": "pending_sync",
            "attempts": profile.attempts,
        }
        _failed(resources, phone, synced.model_copy(update=kept), _code_of(fault))
    raise fault


class _PictureGone(NotConfigured):
    """The file of a picture is not in the bucket any more: uploads are kept for a day."""


def _handle(
    resources: SendingResources, graph: GraphAccount, phone: Phone, profile: BusinessProfile
) -> tuple[str | None, Exception | None]:
    """Return the handle of the picture that is to be set, or why it could not be uploaded."""
    if not profile.picture_s3_key:
        return None, None
    try:
        return pictures.upload(resources, graph, phone, profile.picture_s3_key), None
    except ClientError as error:
        if error.response["ResponseMetadata"]["HTTPStatusCode"] in pictures.MISSING:
            return None, _PictureGone("the picture's file is gone; upload it again")
        return None, ProviderUnavailable("the picture cannot be read; the change is kept")
    except BotoCoreError:
        return None, ProviderUnavailable("the picture cannot be read; the change is kept")
    except Exception as failure:  # noqa: BLE001 - recorded and raised by the caller, after the fields
        return None, failure


def _code_of(failure: Exception) -> str:
    return failure.code if isinstance(failure, ProviderRejected) else type(failure).__name__


def _failed(resources: SendingResources, phone: Phone, profile: BusinessProfile, code: str) -> None:
    update = {"attempts": profile.attempts + 1, "sync_error": code}
    _written(resources, phone, profile.model_copy(update=update))


def _sent(profile: BusinessProfile, name: str) -> Any:  # noqa: ANN401 - a text or a list
    """Return a field as Graph takes it: an empty value removes it."""
    return getattr(profile, name) or ([] if name == "websites" else "")


def _new(resources: SendingResources, phone: Phone) -> BusinessProfile:
    return BusinessProfile(
        pk=key_of(resources, phone),
        company=phone.company,
        waba_meta_id=phone.waba_meta_id,
        phone=phone.phone,
    )


def _written(
    resources: SendingResources, phone: Phone, profile: BusinessProfile
) -> BusinessProfile:
    """Write the next revision. Another number's profile under this key, of a former default, is moved first."""
    stored = profiles.get(resources.table, profile.pk) if profile.revision == 0 else None
    if stored is not None and not _is_of(stored, phone):
        own = BusinessProfile.of_phone(stored.waba_meta_id, str(stored.phone))
        if profiles.get(resources.table, own) is None:
            profiles.replace(resources.table, stored.model_copy(update={"pk": own, "revision": 1}))
        profile = profile.model_copy(update={"revision": stored.revision})
    now = clock.to_text(clock.now_ms())
    update = {"revision": profile.revision + 1, "updated_at": now}
    profile = profile.model_copy(update=update)
    profiles.replace(resources.table, profile)
    return profile


def _is_of(profile: BusinessProfile, phone: Phone) -> bool:
    return (profile.company, profile.phone) == (phone.company, phone.phone)
