"""Shows and changes the public profile that customers see in WhatsApp."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.runtime.validation import patterns
from whatsapp.actions.accounts.numbers.profiles import pictures, profiles
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import (
    Flag,
    HttpsUrl,
    Input,
    PhoneFilter,
    S3Key,
    SenderInput,
    TenantId,
)
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.queries import NotFound, PhoneRequired
from whatsapp.sending.views import View
from whatsapp.store.items import Phone
from whatsapp.store.items.accounts.accounts import BusinessProfile

PROFILE = Group("business_profile")

type Vertical = Literal[
    "OTHER", "AUTO", "BEAUTY", "APPAREL", "EDU", "ENTERTAIN", "EVENT_PLAN", "FINANCE", "GROCERY", "GOVT", "HOTEL",
    "HEALTH", "NONPROFIT", "PROF_SERVICES", "RETAIL", "TRAVEL", "RESTAURANT", "ALCOHOL", "ONLINE_GAMBLING",
    "PHYSICAL_GAMBLING", "OTC_DRUGS",
]  # fmt: skip


class ProfileData(Input):
    """Given values are changed; an empty text removes a field, except *about*."""

    about: Annotated[str, Field(min_length=1, max_length=139)] | None = None
    address: Annotated[str, Field(max_length=256)] | None = None
    description: Annotated[str, Field(max_length=512)] | None = None
    email: (
        Annotated[
            str,
            Field(
                max_length=128,
                pattern=patterns.worded(
                    r"^$|^[^@\s]+@[^@\s]+\.[^@\s]+$",
                    "must be empty or an e-mail address such as ann@example.com",
                ),
            ),
        ]
        | None
    ) = None
    websites: (
        Annotated[list[Annotated[HttpsUrl, Field(max_length=256)]], Field(max_length=2)] | None
    ) = None
    vertical: Vertical | None = None

    def given(self) -> dict[str, Any]:
        """Return the fields that the caller gave."""
        return {name: value for name, value in self.model_dump().items() if value is not None}


class ProfileOwner(PhoneFilter):
    """The number: by its id, its account, or the tenant that it belongs to."""

    tenant_id: TenantId | None = None

    @model_validator(mode="after")
    def _names_a_number(self) -> Self:
        if not (self.meta_waba_id or self.phone or self.tenant_id):
            raise PydanticCustomError("phone", "must have one of metaWabaId, phone, tenantId")
        return self


class GetProfile(ProfileOwner):
    """*refresh*: ask the provider; else the stored profile is shown."""

    refresh: Flag = True


class UpdateProfile(ProfileOwner):
    """*data* has the fields to be changed; the picture is a JPEG or PNG of at most 5 MB in the media bucket."""

    data: ProfileData
    profile_picture_s3_key: S3Key | None = Field(default=None, alias="profilePictureS3Key")


class UploadPicture(SenderInput):
    """A JPEG or PNG of at most 5 MB in the media bucket."""

    s3_key: S3Key = Field(alias="s3Key")


class ProfileView(View):
    """
    A profile. *sync_status*: `synced`, `pending_sync` (not at the provider yet; *sync_error* says why) or `local_only`.

    *profile_picture_url* is the provider's and expires; only a refresh shows it.
    """

    phone_number_id: str
    meta_waba_id: str
    business_name: str | None = None
    about: str | None = None
    address: str | None = None
    description: str | None = None
    email: str | None = None
    websites: list[str] | None = None
    vertical: str | None = None
    sync_status: str | None = None
    sync_error: str | None = None
    updated_at: str | None = None
    profile_picture_url: str | None = None


class Difference(View):
    """A field that differs: as it is here, and as last seen at the provider; absent: empty or unknown."""

    field: str
    here: str | list[str] | None = None
    at_provider: str | list[str] | None = None


class ApplyInstructions(View):
    """The changes that are not applied yet, and the manual steps to apply them."""

    sync_status: str | None = None
    sync_error: str | None = None
    differences: list[Difference]
    steps: list[str]


@PROFILE.reads("remote_graph", Scope.WHATSAPP_READ)
def get_business_profile(call: Call[GetProfile]) -> ProfileView:
    """
    Show the public profile of a number. A refresh reads it at the provider and stores it; pending changes stay.

    Without a refresh a number whose profile has never been read or changed has none (404).
    """
    phone = _phone_of(call)
    if call.input.refresh:
        return _view(phone, *profiles.refreshed(call.resources, phone))
    profile = profiles.load(call.resources, phone)
    if profile is None:
        raise NotFound("the profile has not been read yet; ask with refresh")
    return _view(phone, profile)


@PROFILE.changes("remote_graph", Scope.WHATSAPP_PROFILE)
def update_business_profile(call: Call[UpdateProfile]) -> ProfileView:
    """
    Change the public profile: here first (`pending_sync`), then at the provider (`synced`).

    After a failure the change stays pending, and is tried again hourly, three times. The displayed name is no part of
    the profile: the provider changes it after a review.
    """
    phone = _phone_of(call)
    picture = call.input.profile_picture_s3_key
    if picture is not None:
        pictures.check(call.resources.bucket, call.company, picture, "profilePictureS3Key")
    return _view(phone, profiles.change(call.resources, phone, call.input.data.given(), picture))


@PROFILE.changes("remote_graph", Scope.WHATSAPP_PROFILE)
def upload_profile_picture(call: Call[UploadPicture]) -> ProfileView:
    """
    Set the profile's picture from a file in the media bucket. The number needs an `appId`.

    A media id of a message cannot be used for this.
    """
    phone = participants.sender_of(call)
    pictures.check(call.resources.bucket, call.company, call.input.s3_key, "s3Key")
    return _view(phone, profiles.change(call.resources, phone, {}, call.input.s3_key))


@PROFILE.reads("local", Scope.WHATSAPP_READ)
def get_business_profile_apply_instructions(call: Call[SenderInput]) -> ApplyInstructions:
    """Show the changes of the profile that are not at the provider yet, and the manual steps to make them."""
    phone = participants.sender_of(call)
    profile = profiles.load(call.resources, phone)
    if profile is None:
        return ApplyInstructions(differences=[], steps=["Nothing is stored for this number."])
    differences = _differences(profile)
    if not differences:
        steps = ["Nothing has to be done: no change is pending."]
    else:
        steps = [
            "Open WhatsApp Manager in Meta Business Suite, and choose the account.",
            f"Open Phone numbers, the number +{phone.display_phone}, then Profile.",
            *(f"Set {one.field} to the value shown here, and save." for one in differences),
            "Call get_business_profile with refresh once the number has access to Graph.",
        ]
    return ApplyInstructions(
        sync_status=profile.sync_status,
        sync_error=profile.sync_error,
        differences=differences,
        steps=steps,
    )


def _differences(profile: BusinessProfile) -> list[Difference]:
    remote = profile.remote or {}
    found = [
        Difference(field=name, here=getattr(profile, name), at_provider=remote.get(name))
        for name in profiles.FIELDS
        if name in (profile.unsynced or ())
    ]
    if profile.picture_s3_key:
        found.append(Difference(field=profiles.PICTURE, here=profile.picture_s3_key))
    return found


def _phone_of(call: Call[GetProfile] | Call[UpdateProfile]) -> Phone:
    """Return the number that the input names. Raises NotFound and PhoneRequired."""
    phone = participants.filtered_phone(call)
    tenant = call.input.tenant_id
    if phone is not None:
        if tenant is not None and phone.tenant != tenant:
            raise NotFound("tenantId: the number belongs to another tenant")
        return phone
    phones = [one for one in participants.phones_of(call) if one.tenant == tenant and one.in_use]
    if not phones:
        raise NotFound("tenantId: no number of the tenant is in use")
    chosen = phones if len(phones) == 1 else [one for one in phones if one.is_default]
    if len(chosen) != 1:
        raise PhoneRequired("phone: is required, as the tenant has several numbers")
    return chosen[0]


def _view(phone: Phone, profile: BusinessProfile, picture_url: str | None = None) -> ProfileView:
    shared = ProfileView.model_fields.keys() & BusinessProfile.model_fields.keys()
    return ProfileView(
        phone_number_id=phone.phone,
        meta_waba_id=phone.waba_meta_id,
        profile_picture_url=picture_url,
        **profile.model_dump(include=shared),
    )
