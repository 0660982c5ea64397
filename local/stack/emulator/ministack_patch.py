"""
Runs `python -m ministack` with patches: it knows where the log of an invocation ends (`ministack_logs`), writes the
segments of invocations (`ministack_traces`), invokes functions of streams beside each other (`ministack_streams`),
reads the concurrency of an event source mapping from a text, extracts the layer once, treats callers of the API as AWS
does (`ministack_access`), and deploys all of a WebSocket API (`ministack_websockets`). MiniStack's own Python runs it.

CloudFormation passes a number of a parameter as text. MiniStack compares it with a number for standard queues, and the
error ends its polling of all queues.

MiniStack ends processes at work, whose messages then stay hidden for up to half an hour: those of a function one of
whose processes cannot start, and, when a stack is created, those of functions of the same names in other accounts and
regions.

MiniStack extracts code and layer for each process of a function, and looks where each of their files leads: more than
half of the CPU time of the end-to-end tests.
"""

import hashlib
import tempfile
import threading
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

from ministack.app import main
from ministack.core import lambda_runtime
from ministack.core.lambda_runtime import Worker
from ministack.core.responses import get_account_id, get_region
from ministack.services import lambda_svc

from local.stack.emulator import (
    ministack_access,
    ministack_logs,
    ministack_streams,
    ministack_traces,
    ministack_websockets,
)


def invoked(worker: Worker, *details: object, **options: object) -> dict[str, Any]:
    """Return the result of an invocation; a process that does not start fails alone, and the next one starts anew."""
    try:
        result: dict[str, Any] = _invoke(worker, *details, **options)
    except Exception as failure:  # noqa: BLE001 - MiniStack would handle any of them in the same way
        worker.kill()
        return {"status": "error", "error": str(failure), "log": ""}
    return result


def invalidate_worker(
    name: str,
    qualifier: str | None = None,
    account: str | None = None,
    region: str | None = None,
) -> None:
    """End the processes of a function, by default of the request's account and region."""
    own_account, own_region = account or get_account_id(), region or get_region()
    _invalidate_worker(name, qualifier, own_account, own_region)


def concurrency(mapping: dict[str, Any], *details: object, **options: object) -> int:
    """Return the number of batches of a queue that are handled at once."""
    scaling = mapping.get("ScalingConfig") or {}
    if "MaximumConcurrency" in scaling:
        numbered = {**scaling, "MaximumConcurrency": int(scaling["MaximumConcurrency"])}
        mapping = {**mapping, "ScalingConfig": numbered}
    return int(_concurrency(mapping, *details, **options))


class SharedArchive:
    """An archive of code that is extracted once; as on AWS, functions only read it."""

    _one_at_a_time = threading.Lock()

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is open."""

    def namelist(self) -> list[str]:
        """
        None: MiniStack would look where each of them leads, for each process. `ZipFile.extractall` writes nothing
        outside of its folder.
        """
        return []

    def extractall(self, path: str) -> None:
        """Replace the empty folder *path* by a link to the extracted files."""
        digest = hashlib.sha256(self._path.read_bytes()).hexdigest()
        extracted = Path(tempfile.gettempdir(), "extracted", digest)
        with self._one_at_a_time:
            if not extracted.exists():
                unfinished = extracted.with_suffix(".unfinished")
                with zipfile.ZipFile(self._path) as archive:
                    archive.extractall(unfinished)
                unfinished.rename(extracted)
        target = Path(path)
        target.rmdir()
        target.symlink_to(extracted)


if (
    not hasattr(Worker, "invoke")
    or not hasattr(lambda_svc, "invalidate_worker")
    or not hasattr(lambda_svc, "_sqs_esm_concurrency")
    or lambda_runtime.zipfile is not zipfile
):
    raise SystemExit(
        "this MiniStack works in another way: local/stack/emulator/ministack_patch.py has to follow"
    )
_invalidate_worker = lambda_svc.invalidate_worker
lambda_svc.invalidate_worker = invalidate_worker
_concurrency = lambda_svc._sqs_esm_concurrency
lambda_svc._sqs_esm_concurrency = concurrency
lambda_runtime.zipfile = SimpleNamespace(**vars(zipfile) | {"ZipFile": SharedArchive})
ministack_access.install()
ministack_logs.install()
ministack_streams.install()
ministack_websockets.install()
ministack_traces.install()
_invoke = Worker.invoke  # with its segments
Worker.invoke = invoked

if __name__ == "__main__":
    main()
