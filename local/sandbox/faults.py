"""The queue of configured failures, and the definition of one."""

from collections.abc import Mapping
from threading import Lock
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

# provider -> its simulated operations
Operations = Mapping[str, tuple[str, ...]]


class Fault(BaseModel):
    """
    One failure of the next *times* matching requests; without provider or operation it matches any.

    - `status`: the request is not executed; the response has this HTTP status, the provider's
      error format, *retry_after* as a header, and the fields of *error* in the error's object.
    - `html`, `empty`: the request is not executed; the response is HTTP 200 with a page, or empty.
    - `reset`: the request is not executed; the connection is reset.
    - `lost_answer`: the request is executed and recorded; then the connection closes.
    - `delay`: the request is executed and recorded at once; the response follows after *seconds*.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    kind: Literal["status", "lost_answer", "delay", "reset", "html", "empty"]
    provider: str | None = None
    operation: str | None = None
    # validate_default: also checks that a value required by the kind is present
    status: int | None = Field(default=None, ge=400, le=599, validate_default=True)
    seconds: float | None = Field(
        default=None, gt=0, le=60, allow_inf_nan=False, validate_default=True
    )
    retry_after: str | None = Field(default=None, max_length=100)
    error: dict[str, Any] | None = None
    times: int = Field(default=1, ge=1, le=1000)

    @field_validator("status", "seconds")
    @classmethod
    def _goes_with_the_kind(cls, value: float | None, info: ValidationInfo) -> float | None:
        needed_by = {"status": "status", "seconds": "delay"}[str(info.field_name)]
        kind = info.data.get("kind", needed_by if value is not None else None)
        if (value is not None) != (kind == needed_by):
            raise ValueError(f"goes with kind {needed_by}, and only with it")
        return value

    @field_validator("retry_after", "error")
    @classmethod
    def _goes_with_a_status(cls, value: object, info: ValidationInfo) -> object:
        if value is not None and info.data.get("kind", "status") != "status":
            raise ValueError("goes with kind status, and only with it")
        return value

    @field_validator("provider", "operation")
    @classmethod
    def _is_simulated(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is None or info.context is None:
            return value
        operations: Operations = info.context["operations"]
        if info.field_name == "provider":
            allowed = sorted(operations)
        else:
            # info.data has no provider if that was invalid
            provider = info.data.get("provider")
            allowed = sorted(
                o for name in ([provider] if provider else operations) for o in operations[name]
            )
        if value not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}")
        return value

    def fits(self, provider: str, operation: str) -> bool:
        """Whether a request to this operation matches."""
        return self.provider in (None, provider) and self.operation in (None, operation)


class Faults:
    """Faults in the order they were added; thread-safe."""

    def __init__(self, operations: Operations) -> None:
        self._context = {"operations": operations}
        self._queue: list[Fault] = []
        self._lock = Lock()

    def add(self, **fields: object) -> Fault:
        """Queue `Fault(**fields)`. Raises pydantic's ValidationError."""
        return self._queued(Fault.model_validate(fields, context=self._context))

    def add_json(self, raw: bytes) -> Fault:
        """As `add`, from a JSON object."""
        return self._queued(Fault.model_validate_json(raw, context=self._context))

    def take(self, provider: str, operation: str) -> Fault | None:
        """Use the first matching fault once and return it; None if none matches."""
        with self._lock:
            for position, fault in enumerate(self._queue):
                if fault.fits(provider, operation):
                    left = fault.model_copy(update={"times": fault.times - 1})
                    self._queue[position : position + 1] = [left] if left.times else []
                    return fault
        return None

    def pending(self) -> list[Fault]:
        """Return the queued faults with their remaining times."""
        with self._lock:
            return list(self._queue)

    def clear(self) -> None:
        """Delete all faults."""
        with self._lock:
            self._queue.clear()

    def _queued(self, fault: Fault) -> Fault:
        with self._lock:
            self._queue.append(fault)
        return fault
