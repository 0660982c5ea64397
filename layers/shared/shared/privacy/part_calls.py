"""
Parts behind the functions of their contexts: a call is an invocation, its answer is JSON.

API Gateway makes no event with the key `PART`, so that only a role that may invoke the function makes such calls. Names
of people are in the payloads and in no log line.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self

from botocore.exceptions import BotoCoreError, ClientError
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from shared.aws.sqs_fifo import to_json
from shared.inbox.items import Context, Head
from shared.privacy import PART
from shared.privacy.jobs import Kind
from shared.privacy.parts import Asked, Known, Named, PartJob, Subject
from shared.runtime.failures import Transient
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shared.privacy.parts import Part, PersonHeads

MOST_HEADS: Final = 50  # of a call


class _Call(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)


class _Known(_Call):
    call: Literal["known"] = "known"
    company: str
    name: Named


class _Subjects(_Call):
    call: Literal["subjects"] = "subjects"
    kind: Kind
    company: str
    names: list[Named]


class _Since(_Call):
    call: Literal["since"] = "since"
    asked: Asked
    subject: str
    queues: bool


class _Stored(_Call):
    call: Literal["stored"] = "stored"
    job_id: str


class _Heads(_Call):
    call: Literal["heads"] = "heads"
    references: Annotated[list[str], Field(max_length=MOST_HEADS)]


_Any = _Known | _Subjects | _Since | _Stored | _Heads
_CALLS: Final = TypeAdapter[_Any](Annotated[_Any, Field(discriminator="call")])
_SUBJECTS: Final = TypeAdapter(list[Subject])
_HEADS: Final = TypeAdapter(list[Head | None])


def answer(part: Part, heads: PersonHeads | None, call: object) -> dict[str, Any]:
    """
    Answer a call of a part, in the function of its context; a failure that passes is part of the answer.

    *heads*: None in a context whose conversations are in no inbox.
    """
    try:
        return {"answer": _of_part(part, heads, _CALLS.validate_python(call))}
    except Transient as failure:
        return {"waits": str(failure), "wait_ms": failure.wait_ms}


def _of_part(part: Part, heads: PersonHeads | None, asked: _Any) -> Any:  # noqa: ANN401 - any JSON value
    match asked:
        case _Known():
            return part.known(asked.company, asked.name).model_dump(mode="json")
        case _Subjects():
            found = part.subjects(asked.kind, asked.company, asked.names)
            return _SUBJECTS.dump_python(found, mode="json")
        case _Since():
            job = part.since(asked.asked, asked.subject, queues=asked.queues)
            return job.model_dump(mode="json")
        case _Stored():
            stored = part.stored(asked.job_id)
            return stored.model_dump(mode="json") if stored else None
        case _Heads() if heads is not None:
            batch = heads.prefetched(asked.references)
            return _HEADS.dump_python([batch.read(one) for one in asked.references], mode="json")
        case _:
            raise ValueError("a context has no such call")


@dataclass(frozen=True, slots=True)
class ContextFunction:
    """A function, by its name with the alias. *client*: of Lambda."""

    client: Callable[[], Any]
    name: str

    def ask(self, call: BaseModel) -> Any:  # noqa: ANN401 - any JSON value
        """Return the answer to a call. Raises Transient."""
        payload = to_json({PART: call.model_dump(mode="json")}).encode()
        try:
            response = self.client().invoke(FunctionName=self.name, Payload=payload)
            text = response["Payload"].read()
        except (ClientError, BotoCoreError, OSError):
            raise Transient("context_unreachable") from None
        stated = json_object(text.decode())
        if response.get("FunctionError") or stated is None:
            raise Transient("context_failed")
        if "waits" in stated:
            raise Transient(str(stated["waits"]), stated.get("wait_ms"))
        return stated.get("answer")


@dataclass(frozen=True, slots=True)
class RemotePart:
    """The part of a context behind its function. *queued* are the subjects whose jobs this run has queued."""

    context: str
    function: ContextFunction
    queued: set[str] = field(default_factory=set)

    def known(self, company: str, name: Named, /) -> Known:
        """Return what the context knows of a name."""
        return Known.model_validate(self.function.ask(_Known(company=company, name=name)))

    def subjects(self, kind: Kind, company: str, names: Sequence[Named], /) -> list[Subject]:
        """Return the subjects of a person."""
        call = _Subjects(kind=kind, company=company, names=list(names))
        return _SUBJECTS.validate_python(self.function.ask(call))

    def since(self, asked: Asked, subject: str, /, *, queues: bool) -> PartJob:
        """Return the job of a subject that belongs to the request."""
        call = _Since(asked=asked, subject=subject, queues=queues)
        return PartJob.model_validate(self.function.ask(call))

    def stored(self, job_id: str, /) -> PartJob | None:
        """Return a job."""
        found = self.function.ask(_Stored(job_id=job_id))
        return PartJob.model_validate(found) if found is not None else None


@dataclass(frozen=True, slots=True)
class RemoteHeads:
    """The heads of a context behind its function; *batch* answers the first read of each reference."""

    context: Context
    function: ContextFunction
    batch: dict[str, Head | None] = field(default_factory=dict)

    def prefetched(self, references: Sequence[str]) -> Self:
        """Return the same heads, after calls for all of these."""
        found: dict[str, Head | None] = {}
        for first in range(0, len(references), MOST_HEADS):
            part = list(references[first : first + MOST_HEADS])
            found |= dict(zip(part, self._asked(part), strict=True))
        return replace(self, batch=found)

    def read(self, reference: str) -> Head | None:
        """Return the present head; None if it does not exist or is in no list."""
        if reference in self.batch:
            return self.batch.pop(reference)
        return self._asked([reference])[0]

    def _asked(self, references: list[str]) -> list[Head | None]:
        return _HEADS.validate_python(self.function.ask(_Heads(references=references)))
