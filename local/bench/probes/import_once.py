"""
Imports one module in a fresh interpreter and reports the cost: `import_once.py whatsapp.handlers.worker`.

The last line of standard output, JSON: cpu_ms, peak_kib (of the whole process), modules, bytecode_bytes.
"""

import importlib
import json
import sys
import time
from pathlib import Path

before = set(sys.modules)
cpu = time.process_time()
importlib.import_module(sys.argv[1])
cpu = time.process_time() - cpu

# Not getrusage: its peak includes the parent process before the fork.
status = Path("/proc/self/status").read_text(encoding="ascii")
(peak,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
modules = sorted(set(sys.modules) - before)
cached = (getattr(sys.modules[name], "__cached__", None) for name in modules)
bytecode = {path for path in cached if path and Path(path).is_file()}
print(
    json.dumps(
        {
            "cpu_ms": cpu * 1_000,
            "peak_kib": int(peak),
            "modules": modules,
            "bytecode_bytes": sum(Path(path).stat().st_size for path in bytecode),
        }
    )
)
