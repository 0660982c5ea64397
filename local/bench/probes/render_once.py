"""
Renders one document in one format in a fresh interpreter, without the handler and boto3.

Standard input, JSON: `format`, `title`, `content`, `citations`. Last line of standard output, JSON: `import_ms` of the
writer with its libraries, `first_ms` and `next_ms` (median) of a document, `peak_kib` of the whole process, and
`file_bytes`.
"""

import json
import sys
import time
from importlib import import_module
from pathlib import Path
from statistics import median

TIMES = 9

asked = json.load(sys.stdin)
began = time.perf_counter()
formats = import_module("newsletters.exports.formats")
documents = import_module("newsletters.exports.document")
import_module(f"newsletters.exports.writers.{formats.FORMATS[asked['format']].writer}")
import_ms = (time.perf_counter() - began) * 1_000
document = documents.Document(
    title=asked["title"],
    language="en",
    content=asked["content"],
    updated_at="2026-03-03T06:30:00Z",
    citations=tuple(documents.Citation(**one) for one in asked["citations"]),
)
taken = []
for _ in range(TIMES + 1):
    began = time.perf_counter()
    rendered = formats.render(asked["format"], document)
    taken.append((time.perf_counter() - began) * 1_000)
status = Path("/proc/self/status").read_text(encoding="ascii")
(peak,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
print(
    json.dumps(
        {
            "import_ms": import_ms,
            "first_ms": taken[0],
            "next_ms": median(taken[1:]),
            "peak_kib": int(peak),
            "file_bytes": len(rendered.body),
        }
    )
)
