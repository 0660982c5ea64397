"""The built files of the console, as the layer ConsolePages brings them: names, types, encodings."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from importlib.resources.abc import Traversable

# The folder of the layer; it has no modules.
PACKAGE = "console_pages"
INDEX = "index.html"
# Vite puts files below it whose names contain a hash of their content.
HASHED = "assets/"
TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}
# Content-Encoding and the ending of the compressed file, best first.
ENCODINGS = {"br": ".br", "gzip": ".gz"}


class NotBuilt(Exception):
    """The layer has no pages: the front end was not built."""


@dataclass(frozen=True)
class Asset:
    """A file of the console: *type* is its MIME type, *compressed* its encodings, best first."""

    name: str
    type: str
    plain: Traversable
    compressed: dict[str, Traversable]

    @property
    def is_hashed(self) -> bool:
        """Whether another content has another name."""
        return self.name.startswith(HASHED)

    @cached_property
    def etag(self) -> str:
        """The strong validator of the plain content; the validator of an encoding has a suffix."""
        return hashlib.sha256(self.plain.read_bytes()).hexdigest()[:32]


def load(package: str = PACKAGE) -> dict[str, Asset]:
    """Return all files by name (`index.html`, `assets/x-1a2b.js`). Raises NotBuilt if there are none."""
    try:
        folder = resources.files(package)
    except ModuleNotFoundError:
        raise NotBuilt(f"no layer brings {package}: run `make build`") from None
    files = dict(_files(folder, ""))
    endings = tuple(ENCODINGS.values())
    found = {
        name: Asset(name, TYPES[name.rpartition(".")[2]], file, _compressed(files, name))
        for name, file in files.items()
        if not name.endswith(endings) and name.rpartition(".")[2] in TYPES
    }
    if INDEX not in found:
        raise NotBuilt(f"{package} has no {INDEX}: run `make build`")
    return found


def _files(folder: Traversable, prefix: str) -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    for entry in folder.iterdir():
        name = prefix + entry.name
        found += _files(entry, f"{name}/") if entry.is_dir() else [(name, entry)]
    return found


def _compressed(files: dict[str, Traversable], name: str) -> dict[str, Traversable]:
    return {
        encoding: files[name + ending]
        for encoding, ending in ENCODINGS.items()
        if name + ending in files
    }
