"""Grant, list and revoke the resources of providers that companies own: numbers, accounts, apps, domains."""

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

import boto3

from operations.access.owners import end_of_use
from operations.access.owners.tables import Tables
from operations.command_line import arguments
from operations.command_line.arguments import Refused, WrongUse
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import SHARED, Claim, Proof
from shared.access.ownership.ids import (
    APP,
    CONFIGURATION_SET,
    EMAIL,
    KNOWLEDGE_BASE,
    IdInvalid,
    ProviderId,
)

_EARLIER_DOMAIN = "maildomain#"  # key of the items of release 0.1.0
_SHARED_KINDS = frozenset({APP, KNOWLEDGE_BASE, CONFIGURATION_SET})
_SHAREABLE = (
    "only a domain (@example.com), an app, a knowledge base or a configuration set can be shared"
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return arguments.run(parser(), argv, _act)


def _act(options: argparse.Namespace) -> int:
    options.run(Tables.of(options.stack), options)
    return 0


def _grant(tables: Tables, options: argparse.Namespace) -> None:
    company, resources = _company(options), _resources(options)
    earlier = _other_owners(tables, company, resources)
    if earlier and not options.hand_over:
        raise Refused(
            "--id: another company owns it, see `owners list`; --hand-over gives it to this one"
        )
    _refuse_without_effect(tables, company, resources)
    granted = claims.new(company, Proof.GRANTED, boto3.client("sts").get_caller_identity()["Arn"])
    is_shared = company == SHARED
    _end(tables, earlier, resources, is_shared=is_shared)
    for resource in resources:
        claims.hand_over(tables.log, resource, granted)
    _end(tables, earlier, resources, is_shared=is_shared)
    for resource in resources:
        print("granted", company, resource.kind, resource.text, sep="\t")


def _revoke(tables: Tables, options: argparse.Namespace) -> None:
    company, resources = _company(options), _resources(options)
    owners = set(claims.holders(tables.log, resources).values())
    if not owners <= {company}:
        raise Refused("--id: not owned by this company")
    if not options.although_used:
        end_of_use.refuse_if_used(tables, company, resources)
    _end(tables, {company}, resources)
    for resource in resources:
        if not claims.release(tables.log, resource, company):
            raise Refused("--id: not owned by this company")
    _end(tables, {company}, resources)
    for resource in resources:
        print("revoked", company, resource.kind, resource.text, sep="\t")


def _list(tables: Tables, options: argparse.Namespace) -> None:
    rows = [row for row in _stored(tables) if options.company in {None, row[0]}]
    for row in sorted(rows):
        print(*row, sep="\t")


def _adopt_domains(tables: Tables, _options: argparse.Namespace) -> None:
    """Only domains that an operator gave to a company are granted: others belonged to the first that named them."""
    by = boto3.client("sts").get_caller_identity()["Arn"]
    for domain, company, was_given in sorted(_earlier_domains(tables)):
        granted = was_given and claims.claim(
            tables.log, ids.email(f"@{domain}"), claims.new(company, Proof.GRANTED, by)
        )
        print("granted" if granted else "left to you", company, EMAIL, f"@{domain}", sep="\t")


def _earlier_domains(tables: Tables) -> Iterator[tuple[str, str, bool]]:
    """Yield domain, company, and whether an operator gave it, of the items that release 0.1.0 wrote."""
    pages: Any = boto3.client("dynamodb").get_paginator("scan")
    for page in pages.paginate(
        TableName=tables.mail.name,
        FilterExpression="begins_with(conversation_id, :prefix)",
        ExpressionAttributeValues={":prefix": {"S": _EARLIER_DOMAIN}},
    ):
        for item in page["Items"]:
            domain = item["conversation_id"]["S"].removeprefix(_EARLIER_DOMAIN)
            was_given = item.get("may_send", {}).get("BOOL", False)
            yield domain, item["company_id"]["S"], was_given


def _company(options: argparse.Namespace) -> str:
    """Return the company that the options name. Raises WrongUse."""
    is_domain = options.kind == EMAIL and options.id.strip().startswith("@")
    if options.shared and not (is_domain or options.kind in _SHARED_KINDS):
        raise WrongUse(f"argument --shared: {_SHAREABLE}")
    return SHARED if options.shared else str(options.company)


def _resources(options: argparse.Namespace) -> list[ProviderId]:
    try:
        return ids.read(options.kind, options.id)
    except IdInvalid as fault:
        raise WrongUse(f"argument --id: {fault}") from None


def _other_owners(tables: Tables, company: str, resources: Sequence[ProviderId]) -> set[str]:
    """Return the other owners of the resources, `SHARED` included; of a domain also the owner of a parent domain."""
    found = set(claims.holders(tables.log, resources).values())
    for resource in resources:
        if resource.kind == EMAIL and resource.text.startswith("@"):
            owner, _ = claims.owner_of_email(tables.log, f"postmaster{resource.text}")
            found |= {owner} if owner is not None else set()
    return found - {company}


def _refuse_without_effect(tables: Tables, company: str, resources: Sequence[ProviderId]) -> None:
    """Raise Refused for a single address whose domain is not shared: its domain decides."""
    for resource in resources:
        if resource.kind != EMAIL or resource.text.startswith("@"):
            continue
        owner, deciding = claims.owner_of_email(tables.log, resource.text)
        if deciding != resource and owner != company:
            raise Refused(
                "--id: the domain decides; grant the domain to the company, or, if it is a mailbox provider's,"
                f" share it: owners grant --shared --kind email --id @{resource.text.rpartition('@')[2]}"
            )


def _end(
    tables: Tables,
    companies: set[str],
    resources: Sequence[ProviderId],
    *,
    is_shared: bool = False,
) -> None:
    for company in sorted(companies):
        for line in end_of_use.end(tables, company, resources, is_shared=is_shared):
            print(line)


def _stored(tables: Tables) -> Iterator[tuple[str, ...]]:
    """Yield the rows of all owner items. Scans the table: no request waits for it, but a large log takes minutes."""
    pages: Any = boto3.client("dynamodb").get_paginator("scan")
    for page in pages.paginate(
        TableName=tables.log.name,
        FilterExpression="item_type = :claim",
        ExpressionAttributeValues={":claim": {"S": Claim.item_type}},
    ):
        for item in page["Items"]:
            texts = {name: value["S"] for name, value in item.items() if "S" in value}
            _, kind, text = texts[Claim.partition_key].split("#", 2)
            facts = (texts.get(name, "-") for name in ("proof", "proven_at", "proven_by"))
            yield texts["company_id"], kind, text, *facts


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations owners", description=__doc__)
    commands = own.add_subparsers(required=True, metavar="command")
    listing = arguments.sub_command(
        commands, "list", _list, "list resources with owner, proof, time, and who proved it"
    )
    listing.add_argument("--company", type=arguments.word, help="only resources of this company")
    grant = arguments.sub_command(
        commands, "grant", _grant, "give a resource to a company, which may register and use it"
    )
    grant.add_argument(
        "--hand-over",
        action="store_true",
        help="also if another company owns it, whose mailboxes and numbers with it are removed",
    )
    revoke = arguments.sub_command(
        commands, "revoke", _revoke, "end a company's ownership; functions see it within 30 seconds"
    )
    revoke.add_argument(
        "--although-used", action="store_true", help="also if projects name it, which then stop"
    )
    for command in (grant, revoke):
        owner = command.add_mutually_exclusive_group(required=True)
        owner.add_argument("--company", type=arguments.word)
        owner.add_argument("--shared", action="store_true", help=f"of no company: {_SHAREABLE}")
        command.add_argument("--kind", choices=ids.KINDS, required=True)
        command.add_argument(
            "--id",
            required=True,
            help="in any spelling; of a phone number with country code, of a domain as @example.com",
        )
    adopt = arguments.sub_command(
        commands,
        "adopt-domains",
        _adopt_domains,
        "after an upgrade from 0.1.0, grant the mail domains that operators gave to companies; list the others",
    )
    for command in (listing, grant, revoke, adopt):
        arguments.add_stack(command)
    return own
