"""Changes and shows the call settings of numbers. The structure is AWS's; Graph's is translated."""

from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.runtime.validation import patterns
from whatsapp import transmission
from whatsapp.actions.calls import participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Flag, Input, SenderInput, Whole
from whatsapp.actions.calls.provider_objects import CallSettingsView
from whatsapp.actions.groups_and_calls.calls import CALLING
from whatsapp.api.json_view import plain
from whatsapp.store.accounts.numbers import phone_settings
from whatsapp.store.items import Phone

_SWITCH = {True: "ENABLED", False: "DISABLED"}


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise PydanticCustomError("zone", "must be a time zone such as Europe/London") from None
    return name


class TimeOfDay(Input):
    """A time of day in the time zone of the call hours."""

    hours: Annotated[Whole, Field(ge=0, le=23)]
    minutes: Annotated[Whole, Field(ge=0, le=59)]


class OpenHours(Input):
    """Hours of a weekday; a day may have two entries."""

    day_of_week: Literal[
        "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"
    ]
    open_time: TimeOfDay
    close_time: TimeOfDay


class Holiday(Input):
    """A day with other hours."""

    date: str = Field(pattern=patterns.DATE)
    start_time: TimeOfDay
    end_time: TimeOfDay


class CallHours(Input):
    """The hours of calls. Given values replace all earlier hours and holidays."""

    enabled: Flag
    timezone: Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_known_zone)]
    weekly_operating_hours: Annotated[list[OpenHours], Field(max_length=14)]
    holiday_schedule: Annotated[list[Holiday], Field(max_length=20)] = Field(default_factory=list)


class CallSettings(Input):
    """Settings of a number; absent settings stay unchanged."""

    call_enabled: Flag
    call_icon_visibility: Literal["DEFAULT", "DISABLE_ALL"] | None = None
    callback_permission_status: Literal["ENABLED", "DISABLED"] | None = None
    call_hours: CallHours | None = None


class UpdateSettings(SenderInput):
    """The settings."""

    settings: CallSettings


@CALLING.changes("remote_eum", Scope.WHATSAPP_CALLS)
def update_call_settings(call: Call[UpdateSettings]) -> CallSettingsView:
    """
    Change the call settings of a number at its provider: whether it takes calls, the call button, the hours.

    Customers' phones show a change after up to seven days; the provider applies it at once.
    """
    phone = participants.sender_of(call)
    given = as_json(call.input.settings)
    if phone.provider == "eum":
        remote.eum_of(call, phone).call(
            "update_linked_whatsapp_business_account_phone_number",
            id=transmission.aws_phone_of(phone),
            callSettings=given,
        )
    else:
        body = {"calling": to_graph(given)}
        remote.graph_of(call, phone).post(phone.phone, "settings", body=body)
    known = {**plain(phone.call_settings or {}), **given}
    phone_settings.change(call.table, phone, call_settings=known)
    return CallSettingsView.model_validate(known)


@CALLING.reads("remote_eum", Scope.WHATSAPP_CALLS)
def get_call_settings(call: Call[SenderInput]) -> CallSettingsView:
    """Show the call settings of a number at its provider; empty if calls have never been set up."""
    phone = participants.sender_of(call)
    found = _at_provider(call, phone)
    phone_settings.change(call.table, phone, call_settings=found or None)
    return CallSettingsView.model_validate(found)


def as_json(settings: CallSettings) -> dict[str, Any]:
    """Return the settings in AWS's structure."""
    return settings.model_dump(by_alias=True, exclude_none=True)


def to_graph(given: dict[str, Any]) -> dict[str, Any]:
    """
    Return settings in Graph's structure (Meta, "Configure call settings").

    Not confirmed by our own traffic: Meta's guide has these words, its document others in small letters.
    """
    calling: dict[str, Any] = {"status": _SWITCH[given["callEnabled"]]}
    for ours, theirs in (
        ("callIconVisibility", "call_icon_visibility"),
        ("callbackPermissionStatus", "callback_permission_status"),
    ):
        if ours in given:
            calling[theirs] = given[ours]
    if hours := given.get("callHours"):
        calling["call_hours"] = {
            "status": _SWITCH[hours["enabled"]],
            "timezone_id": hours["timezone"],
            "weekly_operating_hours": [
                {
                    "day_of_week": one["dayOfWeek"],
                    "open_time": _digits(one["openTime"]),
                    "close_time": _digits(one["closeTime"]),
                }
                for one in hours["weeklyOperatingHours"]
            ],
            "holiday_schedule": [
                {
                    "date": one["date"],
                    "start_time": _digits(one["startTime"]),
                    "end_time": _digits(one["endTime"]),
                }
                for one in hours["holidaySchedule"]
            ],
        }
    return calling


def from_graph(calling: dict[str, Any]) -> dict[str, Any]:
    """Return Graph's settings in our structure, as far as it has a place for them."""
    found: dict[str, Any] = {"callEnabled": str(calling.get("status", "")).upper() == "ENABLED"}
    for ours, theirs in (
        ("callIconVisibility", "call_icon_visibility"),
        ("callbackPermissionStatus", "callback_permission_status"),
    ):
        if calling.get(theirs):
            found[ours] = calling[theirs]
    hours = calling.get("call_hours")
    if isinstance(hours, dict):
        found["callHours"] = {
            "enabled": str(hours.get("status", "")).upper() == "ENABLED",
            "timezone": str(hours.get("timezone_id", "")),
            "weeklyOperatingHours": [
                {
                    "dayOfWeek": one.get("day_of_week"),
                    "openTime": _time_of(one.get("open_time")),
                    "closeTime": _time_of(one.get("close_time")),
                }
                for one in hours.get("weekly_operating_hours", [])
            ],
            "holidaySchedule": [
                {
                    "date": one.get("date"),
                    "startTime": _time_of(one.get("start_time")),
                    "endTime": _time_of(one.get("end_time")),
                }
                for one in hours.get("holiday_schedule", [])
            ],
        }
    return found


def _at_provider(call: Call[SenderInput], phone: Phone) -> dict[str, Any]:
    if phone.provider == "eum":
        answer = remote.eum_of(call, phone).call(
            "get_linked_whatsapp_business_account_phone_number", id=transmission.aws_phone_of(phone)
        )
        found: dict[str, Any] = answer.get("callSettings") or {}
        return found
    calling = remote.graph_of(call, phone).get(phone.phone, "settings").get("calling")
    return from_graph(calling) if isinstance(calling, dict) else {}


def _digits(time: dict[str, int]) -> str:
    return f"{time['hours']:02d}{time['minutes']:02d}"


def _time_of(digits: object) -> dict[str, int]:
    text = str(digits).replace(":", "").zfill(4)
    is_time = text.isascii() and text.isdecimal()
    return {"hours": int(text[:2]), "minutes": int(text[2:4])} if is_time else {}
