"""Shared by all suites: moto before any client, false credentials, an unused region, and identifier keys."""

import functools
import gc
import os
import re
from collections.abc import Generator, Iterator
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import moto  # noqa: F401 - before boto3 makes a client: one made earlier would call the real endpoint
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal import constants_ast
from hypothesis.internal.conjecture import providers
from moto.core.config import default_user_config

from shared.identity import keyed_hashes
from tests import keyring
from tests.aws import client_pool, quick_aws, reserved_names, used_actions
from tests.suites import suite_report
from tests.suites.scheduling import ByFile
from tests.tables import calls
from tests.template import ROOT

os.environ |= {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "POWERTOOLS_METRICS_NAMESPACE": "Parley",
    "POWERTOOLS_SERVICE_NAME": "whatsapp",
    "POWERTOOLS_TRACE_DISABLED": "true",
    "STAGE": "local",
}
for variable in ("AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_SESSION_TOKEN"):
    os.environ.pop(variable, None)

# A case of these tests drives handlers, tables and providers, and takes a hundred times as long as one of a rule.
WHOLE_SYSTEMS = (
    "tests/simulation/",
    *(
        f"tests/integration/{name}/"
        for name in (
            "console",
            "conversations",
            "email_threads",
            "isolation",
            "newsletters",
            "operations",
            "richpanel",
            "whatsapp",
        )
    ),
)

SLOW = ("tests/cost/", "tests/e2e/", "tests/simulation/", "tests/unit/template/")

# The same examples in each run, however slow the machine is.
settings.register_profile(
    "suite",
    max_examples=50,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("suite")
# Without the constants of the modules that a process happens to have imported: examples would depend on the order of
# tests, and each process would parse the whole project for them.
_examples: Any = providers  # a private function, which has no setting
_examples._get_local_constants = constants_ast.Constants

# All tests may share boto3's session: nothing of it differs between them, and to make one takes 8 ms.
default_user_config["core"]["reset_boto3_session"] = False
quick_aws.hasten()
calls.install()
client_pool.install()
reserved_names.install()
suite_report.install()
used_actions.install()  # last: it looks at the caller of the client
# Tests load handlers again and again, each time with all routes. An act is a method: another object for each instance.
declarations: Any = resolve_name("shared.api.routing.declarations")  # reads the variables above
_signature_of = functools.cache(declarations.signature_of)
declarations.signature_of = lambda act, *about: _signature_of(getattr(act, "__func__", act), *about)
# Also while fixtures of modules and sessions are made.
keyed_hashes.configure(keyring.Keys(keyring.KEY))


@pytest.fixture(autouse=True, scope="session")
def _folder_of_temporary_paths(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Made at once: some tests set another temporary folder of Python, which they remove."""
    tmp_path_factory.getbasetemp()


@pytest.fixture(autouse=True)
def _identifier_keys() -> Iterator[None]:
    """Each test starts with the test keys, even if a handler has configured others before."""
    with keyring.held(keyring.Keys(keyring.KEY)):
        yield


@pytest.fixture(autouse=True)
def _roles() -> Iterator[None]:
    """No handler of a function makes a call in a test that its role does not permit."""
    yield
    assert used_actions.refused() == []


@pytest.fixture(autouse=True)
def _metrics() -> None:
    """Each test starts without metrics: Powertools writes and removes all at the hundredth name."""
    from shared.runtime.observability import metrics  # noqa: PLC0415 - reads the variables above at its import

    metrics.clear_metrics()


def pytest_configure(config: pytest.Config) -> None:
    """Only a complete run of the long tests has budgets."""
    is_complete = config.option.markexpr == "long" and config.args == config.getini("testpaths")
    config.pluginmanager.register(suite_report.SuiteReport(has_budgets=is_complete))


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
    if fixturedef.scope == "function":
        return (yield)
    # It starts with the test keys, too, and what a handler configures in it does not reach the next one.
    with client_pool.paused(), keyring.held(keyring.Keys(keyring.KEY)):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None]:
    try:
        yield
    finally:
        client_pool.take_back()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile | None:
    return ByFile(config, log) if config.option.dist == "loadfile" else None


@functools.cache
def has_long_tests(file: Path) -> bool:
    """Whether a file may have tests marked `long`: of whole systems any file, of others one whose text has the mark."""
    if file.relative_to(ROOT).as_posix().startswith(WHOLE_SYSTEMS):
        return True
    return re.search(r"\bmark\.long\b|\blong_except\b", file.read_text("utf-8")) is not None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A run of the long tests does not import the files that have none: each of its workers would."""
    is_skipped = (
        config.option.markexpr == "long"
        and collection_path.name.startswith("test_")
        and not has_long_tests(collection_path)
    )
    return True if is_skipped else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """
    Modules and tests last as long as the run: the garbage collector does not look at them again and again. Then it
    looks less often than by default: what tests leave behind has few cycles, and the states of moto are large.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(100_000, 20, 20)
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """
    Mark the further cases of a test over a whole system as long: `make test` runs the first. Files that take long
    start early, so that no worker is alone with one at the end.
    """
    items.sort(key=lambda item: not item.nodeid.startswith(SLOW))
    seen: set[str] = set()
    for item in items:
        test = item.nodeid.partition("[")[0]
        if test.startswith(WHOLE_SYSTEMS) and test in seen:
            item.add_marker(pytest.mark.long)
        seen.add(test)
        if item.get_closest_marker("long") and not has_long_tests(item.path):
            raise pytest.UsageError(
                f"{item.path}: the text of a file with long tests has their mark"
            )


@pytest.fixture(scope="session", autouse=True)
def _switches_do_not_expire() -> None:
    """Powertools' cache of parameters follows the wall clock: no test may depend on how long it takes."""
    from shared.policy import kill_switches  # noqa: PLC0415 - its logger reads the variables above at its import

    kill_switches.CACHE_SECONDS = 3_600
