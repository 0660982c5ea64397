"""
Builds the functions and the layers as they are deployed, with bytecode and without unused files, unless the build is up
to date.
"""

import hashlib
import os
import platform
import sys
from collections.abc import Iterable
from pathlib import Path

from local.stack import environments
from local.stack.builds import code, documents, unused_files
from local.stack.processes import LOCAL, ROOT, StackError, as_program, follow, marked, say

# Apart from each other: the processor of this machine may not be the functions' on AWS. `sam deploy` takes the
# one for AWS by default; samconfig.toml names the one of the stage local.
FOR_AWS = ROOT / ".aws-sam" / "build"
BUILT = LOCAL / "build"
# template.yaml with the archive of the functions as their code; beside it, because its paths are relative.
_TEMPLATE = ROOT / ".template-with-archive.yaml"

# A trace of the documentation in the folder by which SAM caches the layer of the console.
_DOCUMENTED = ROOT / "console" / "documents.digest"
_NOT_SOURCE = {_DOCUMENTED.name, "__pycache__", ".mypy_cache", ".ruff_cache", "node_modules"}


def host_architecture() -> str:
    """Return this machine's architecture as named in the template; StackError if Lambda does not support it."""
    names = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}
    try:
        return names[platform.machine().lower()]
    except KeyError:
        raise StackError(
            f"AWS Lambda has no processor like this one: {platform.machine()}"
        ) from None


def digest_of(paths: Iterable[Path]) -> str:
    """Return a digest of files and of all files in folders: names and contents."""
    files = [
        file
        for path in paths
        for file in sorted(path.rglob("*") if path.is_dir() else [path])
        if file.is_file() and not _NOT_SOURCE & set(file.parts)
    ]
    return _digest(files, ROOT)


def _digest(files: Iterable[Path], root: Path) -> str:
    digest = hashlib.sha256()
    for file in files:
        content = file.read_bytes()
        digest.update(f"{file.relative_to(root)}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def sam_command(*arguments: str) -> list[str]:
    """Build a command of the SAM CLI."""
    return marked(environments.python_of("sam"), "-m", "samcli", *arguments)


def sam_environment() -> dict[str, str]:
    """
    Return the variables for the SAM CLI, without any access to the user's own AWS account.

    Its own environment is first on the PATH: `sam build` looks there for a python3.13 that has pip.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return {
        **inherited,
        "PATH": f"{environments.python_of('sam').parent}{os.pathsep}{os.environ['PATH']}",
        "SAM_CLI_TELEMETRY": "0",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def build(architecture: str, folder: Path) -> None:
    """Build for an architecture into one of the folders above, unless that build is up to date."""
    named = ("template.yaml", "stacks", "functions", "layers", "console", "local/stack/builds")
    sources = digest_of([*(ROOT / name for name in named), *documents.pages()])
    wanted = f"{architecture} {sources}"
    # `sam build` empties its folder first, which also removes the stamp of the previous build.
    stamp = folder / "built-from"
    if stamp.is_file() and stamp.read_text() == wanted:
        say(f"sam-build: up to date for {architecture}")
        return
    # `sam build` would create it too, but shows no progress.
    environments.ensure(["console"])
    _DOCUMENTED.write_text(digest_of(documents.pages()))
    functions = code_of(folder)
    code.copy(functions)
    _run("bytecode", functions.parent)
    arguments = (*build_arguments(architecture, folder), "--template-file", str(_TEMPLATE))
    _TEMPLATE.write_text(code.naming(code.pack(functions), (ROOT / "template.yaml").read_text()))
    try:
        follow({"sam-build": sam_command(*arguments)}, sam_environment())
    finally:
        _TEMPLATE.unlink()
    unused_files.remove(folder)
    _run("bytecode", folder)
    _run("templates", folder)
    stamp.write_text(wanted)


def code_of(folder: Path) -> Path:
    """Return the folder with the code of all functions of a build; the archive is beside it."""
    return folder.parent / "code" / "functions"


def _run(step: str, folder: Path) -> None:
    """Run one of the modules of this package as a program with the libraries of the SAM CLI."""
    module = f"local.stack.builds.{step}"
    command = marked(environments.python_of("sam"), "-m", module, str(folder))
    follow({step: command}, sam_environment())


def build_arguments(architecture: str, folder: Path) -> list[str]:
    """Return the arguments of `sam build` for an architecture and a folder."""
    return [
        *("build", "--cached", "--parallel"),
        *("--build-dir", str(folder), "--cache-dir", str(folder.parent / "cache")),
        *("--parameter-overrides", "Stage=local", f"Architecture={architecture}"),
    ]


def main() -> None:
    """`python3.13 -m local.stack.builds.build <arm64 | x86_64>`: build for AWS, for that architecture."""
    match sys.argv[1:]:
        case [("arm64" | "x86_64") as architecture]:
            environments.ensure(["sam"])
            build(architecture, FOR_AWS)
        case _:
            sys.exit(main.__doc__)


if __name__ == "__main__":
    as_program(main)
