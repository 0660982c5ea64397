"""The sources of an evaluation's answers: recordings, a model with the API of OpenAI, or the models of a project."""

import argparse
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import boto3

from conversations.ai.config import AiConfig
from conversations.configuration import versions
from conversations.configuration.projects import Companies, Company
from conversations.dialogues.evaluation import dearest_price
from conversations.dialogues.rehearsal.rehearsal import TURN_MS
from conversations.outbound.compose.model_turns import models_of
from conversations.outbound.policy.token_budget import Metered
from conversations.store.items.conversation import ChannelMethod
from conversations.store.versions import project_versions
from operations.command_line import arguments
from operations.command_line.arguments import Refused, WrongUse
from operations.projects.cli import LOG, TABLE
from shared.ai import port as ai
from shared.ai.evaluation.bounded_calls import BoundedCalls
from shared.ai.evaluation.bounds import Bounds
from shared.ai.evaluation.judge import Judge
from shared.ai.providers.openai import Account, OpenAI
from shared.ai.spending import prices
from shared.ai.spending.company_model import CompanyCalls
from shared.aws.dynamodb import Table
from shared.runtime import clock

if TYPE_CHECKING:
    from conversations.dialogues.rehearsal.rehearsal import Models, Searches
    from shared.ai.spending.prices import ModelPrice

DOCUMENTS, SPENDING = "NewslettersBucketName", "SpendingTableName"  # outputs of template.yaml
_KEY = "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class StoredProject:
    """A project of a stack: its item, and the log with its versions."""

    item: dict[str, Any] = field(repr=False)
    log: Table

    def settings_of(self, name: str) -> dict[str, Any]:
        """Return the settings of a version by its number, or `live`. Raises Refused."""
        if name == "live":
            return versions.settings_of(self.item)
        ids = str(self.item["company_id"]), str(self.item["project_id"])
        found = project_versions.of_project(self.log, *ids).read(int(name))
        if found is None:
            raise Refused(f"version: the project has no version {name}")
        return found.settings


@dataclass(frozen=True, slots=True)
class Asked:
    """The models of an evaluation; all None: recorded answers. *judging* is the judge with its price."""

    models: "Models | None" = None
    searches: "Searches | None" = None
    judging: "tuple[ai.Model, ModelPrice] | None" = None

    def judge(self, bounds: Bounds) -> Judge | None:
        """Return the judge, whose calls count."""
        return Judge(BoundedCalls(*self.judging, bounds)) if self.judging else None


@dataclass(frozen=True, slots=True)
class _Key:
    """A key of the environment."""

    key: str = field(repr=False)

    def value(self) -> dict[str, str]:
        """Return it as a secret has it."""
        return {"ai_api_key": self.key}

    def refreshed(self) -> bool:
        """Return whether there is a newer one: never."""
        return False


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that select models and a project."""
    where = parser.add_mutually_exclusive_group()
    arguments.add_stack_to(parser, where)
    where.add_argument(
        "--model-url", help=f"a model at this address, without /v1; its key is {_KEY}"
    )
    parser.set_defaults(stack=None)
    parser.add_argument("--model", help="the name of the model at --model-url")
    parser.add_argument(
        "--judge-model", help="the name of the model that judges, by default the same"
    )
    parser.add_argument("--company", type=arguments.word, help="with a stack: its company_id")
    parser.add_argument("--project", type=arguments.word, help="with a stack: its project_id")
    parser.add_argument("--recorded", action="store_true", help="with a stack: ask no model")


def stored_project(options: argparse.Namespace) -> StoredProject:
    """Return the project of a stack. Raises WrongUse and Refused."""
    if not (options.company and options.project):
        raise WrongUse("--stack and --local need --company and --project")
    outputs = arguments.outputs_of(options.stack, TABLE, LOG)
    dynamodb = boto3.client("dynamodb")
    item = Companies(Table(dynamodb, outputs[TABLE])).item(options.company, options.project)
    if item is None:
        raise Refused("project: company or project not found")
    return StoredProject(item, Table(dynamodb, outputs[LOG]))


def asked(options: argparse.Namespace, stored: StoredProject | None) -> Asked:
    """Return the models that the options select. Raises WrongUse."""
    if options.model_url:
        return _at_address(options)
    if stored is None or options.recorded:
        return Asked()
    return _of_project(options, stored)


def model_at_address(options: argparse.Namespace, bounds: Bounds) -> BoundedCalls:
    """Return the model at --model-url, whose calls count. Raises WrongUse."""
    model = OpenAI(_account(options), options.model)
    return BoundedCalls(model, prices.model_price(options.model), bounds)


def _account(options: argparse.Namespace) -> Account:
    key = os.environ.get(_KEY, "")
    if not (key and options.model):
        raise WrongUse(f"--model-url needs --model and {_KEY}")
    return Account(f"{options.model_url.rstrip('/')}/v1", _Key(key))


def _at_address(options: argparse.Namespace) -> Asked:
    account = _account(options)
    judge = options.judge_model or options.model
    return Asked(
        lambda _config, _company: OpenAI(account, options.model),
        None,
        (OpenAI(account, judge), prices.model_price(judge)),
    )


def _of_project(options: argparse.Namespace, stored: StoredProject) -> Asked:
    """Return the models of a project, with its key and documents; calls count for the project and the company."""
    from conversations.api.projects.bootstrap import playground_dependencies  # noqa: PLC0415 - clients of AWS

    given = arguments.parameters_of(options.stack)
    url = given.get("SandboxUrl") or given.get("OpenAiBaseUrl", "https://api.openai.com")
    outputs = arguments.outputs_of(options.stack, DOCUMENTS, SPENDING)
    bucket, spending = outputs[DOCUMENTS], outputs[SPENDING]
    deps = playground_dependencies(stored.log, stored.log.beside(spending), url, bucket)

    def model_of(config: AiConfig, company: Company) -> ai.Model:
        until_ms = clock.now_ms() + TURN_MS
        calls = CompanyCalls(deps.spending, company.company_id, spares=True)
        model = models_of(
            config, deps.model_deps, company.company_id, until_ms, lambda _: None, calls=calls
        )
        return Metered(model, deps.log, company)

    company = Company.model_validate(stored.item)
    method = next(iter(company.allowed_channels), ChannelMethod.SMS)
    config = AiConfig.read(company.ai_config, method.value)
    return Asked(
        model_of, deps.documents.knowledge_of, (model_of(config, company), dearest_price(config))
    )
