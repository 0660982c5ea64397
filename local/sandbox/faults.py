"""The queue of failures that the sandbox was told to show, and how one of them is described."""

from collections.abc import Mapping
from threading import Lock
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

# provider -> the operations it plays
Operations = Mapping[str, tuple[str, ...]]


class Fault(BaseModel):
    """
    One failure, for the next *times* requests that fit; no provider or operation means any.

    - `status`: nothing is done; the provider answers with this HTTP status, in its own shape, and
      with *retry_after* as that header where it is given.
    - `html`, `empty`: nothing is done; somebody answers HTTP 200 with a page, or with nothing.
    - `reset`: nothing is done; the connection is reset.
    - `lost_answer`: all is done and recorded; then the connection closes without an answer.
    - `delay`: all is done and recorded at once; the answer comes *seconds* later.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    kind: Literal["status", "lost_answer", "delay", "reset", "html", "empty"]
    provider: str | None = None
    operation: str | None = None
    # validate_default: a value that its kind needs is missed even when the key is not there at all
    status: int | None = Field(default=None, ge=400, le=599, validate_default=True)
    seconds: float | None = Field(
        default=None, gt=0, le=60, allow_inf_nan=False, validate_default=True
    )
    retry_after: str | None = Field(default=None, max_length=100)
    times: int = Field(default=1, ge=1, le=1000)

    @field_validator("status", "seconds")
    @classmethod
    def _goes_with_the_kind(cls, value: float | None, info: ValidationInfo) -> float | None:
        needed_by = {"status": "status", "seconds": "delay"}[str(info.field_name)]
        kind = info.data.get("kind", needed_by if value is not None else None)
        if (value is not None) != (kind == needed_by):
            raise ValueError(f"goes with kind {needed_by}, and only with it")
        return value

    @field_validator("retry_after")
    @classmethod
    def _goes_with_a_status(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is not None and info.data.get("kind", "status") != "status":
            raise ValueError("goes with kind status, and only with it")
        return value

    @field_validator("provider", "operation")
    @classmethod
    def _is_played_here(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is None or info.context is None:
            return value
        played: Operations = info.context["operations"]
        if info.field_name == "provider":
            known = sorted(played)
        else:
            # info.data has no provider when that was wrong itself
            provider = info.data.get("provider")
            known = sorted(o for name in ([provider] if provider else played) for o in played[name])
        if value not in known:
            raise ValueError(f"must be one of {', '.join(known)}")
        return value

    def fits(self, provider: str, operation: str) -> bool:
        """Whether a request to this operation may be hit."""
        return self.provider in (None, provider) and self.operation in (None, operation)


class Faults:
    """Faults in the order they were added; safe to use from the tests' thread and the server's."""

    def __init__(self, operations: Operations) -> None:
        self._context = {"operations": operations}
        self._queue: list[Fault] = []
        self._lock = Lock()

    def add(self, **fields: object) -> Fault:
        """Queue `Fault(**fields)`; pydantic's ValidationError when that is none."""
        return self._queued(Fault.model_validate(fields, context=self._context))

    def add_json(self, raw: bytes) -> Fault:
        """As `add`, from a JSON object."""
        return self._queued(Fault.model_validate_json(raw, context=self._context))

    def take(self, provider: str, operation: str) -> Fault | None:
        """The first fault that fits, used up once; None when the request may go on."""
        with self._lock:
            for position, fault in enumerate(self._queue):
                if fault.fits(provider, operation):
                    left = fault.model_copy(update={"times": fault.times - 1})
                    self._queue[position : position + 1] = [left] if left.times else []
                    return fault
        return None

    def pending(self) -> list[Fault]:
        """What is still to come, with the times that are left."""
        with self._lock:
            return list(self._queue)

    def clear(self) -> None:
        """Let everything succeed again."""
        with self._lock:
            self._queue.clear()

    def _queued(self, fault: Fault) -> Fault:
        with self._lock:
            self._queue.append(fault)
        return fault
