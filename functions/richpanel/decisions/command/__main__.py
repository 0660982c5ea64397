"""
Shows what the help-desk middleware would do with messages, so that support leads can try its rules on old tickets.

    export PYTHONPATH=functions:layers/shared
    python -m richpanel.decisions.command [--explain] [--model-answers FILE] [file ...]

Reads JSON lines from files or standard input, one message each:

    {"id": "1", "text": "Where is my order #1234?", "channel": "email", "context": {}}

and prints one JSON line for each readable message, in the same order:

    {"id", "intent", "team", "tags", "tier", "action", "template", "confidence"}

No network, no AWS. Nothing is sent or stored. Without --model-answers the rules decide.

--model-answers FILE decides as with a language model that gave the answers in FILE, JSON lines of

    {"id": "1", "answer": {"schema_version": "rp_decision_v1", "language": "en",
     "intents": [{"intent": "order_status_tracking", "confidence": 0.9}], "risk_flags": [], "wants_human": false}}

answer is in the schema rp_decision_v1 (richpanel/decisions/model_answers.py). A message without an answer, or with
one outside the schema, is decided as after a failure of the model: by the rules, without a reply. The model's second
question, whether to state facts of an order, has no recorded answers: no reply states any.

id          text or number; returned unchanged
text        the customer's text, plain or HTML; empty or null: only a file or sticker
channel     email, livechat, social, tiktok, phone; anything else is `unknown`
context     all keys are optional, unknown ones are ignored:
  subject                 the ticket's subject, text
  earlier                 list of texts: unhandled earlier comments of the same turn, oldest first
  has_attachment          true or false
  has_linked_order        true: the help desk names an order of this ticket
  is_automatic            true: bounce, out of office, the shop's own address
  order_mask              format of the shop's order numbers, 9 for a digit: "SH-99999"
  created_at, now         when the message arrived and when it is handled, ISO 8601 (default: each other, else now)
  ticket_status           "open" (default) or "closed"
  newest_comment_by       "customer" (default), "person" or "automation"
  last_person_reply_at    ISO 8601: when an agent last replied in the ticket
  handed_back_at          ISO 8601: when an agent last handed the ticket back to the automation
  is_assigned_to_person   true: the ticket is assigned to an agent
  first_name              the customer's, for greetings
  auto_replies            list of ISO 8601: times of earlier automatic replies in this ticket
  customer_auto_replies   list of ISO 8601: times of automatic replies to this customer, in all tickets
  already_answered        true: this message was already answered
  risk_flags              list of the conversation's flags: chargeback, legal_threat, harassment,
                          fraud_suspected, privacy_request, security_sensitive, other_high_risk
  pending_flow            {"requested_at": ISO 8601, "attempts": 1}: an automatic reply asked for the order number
  customer_email          the address the message was sent from, as the help desk gives it
  order                   known facts of one order (below)
  switches                any of safe_mode, automation_enabled, automation_enabled_channels, template_enabled,
                          tier2_channels, tier2_paths, auto_close_enabled, outbound_scope, in place of the defaults
                          of this command: everything on, except order facts (by e-mail only) and closing (off)
  available_teams         list of team names or route tags that the account has (default: all)
  timezone, holidays      of the shop: an IANA name (default America/New_York), a list of dates

order: "number", "status" and "created_at", and "match", how it was matched to the sender: "linked" or "number".
Without "match" it counts if its "email" is the customer_email, and "is_linked" is true or the text names its number.
An order that is not matched, or lacks one of the three fields, is ignored: no reply states facts of it.
Optional: fulfillment_status, shipping_method, tracking_number, tracking_company, tracking_url, status_url,
is_cancelled, is_refunded, is_preorder, ship_by (date).

tier        0 agents only; 1 asks or informs; 2 states facts of one matched order; null: no reply
action      auto_reply: the template would be sent; escalate: no reply, an agent has to take over (the tag
            mw-escalated-human); route_only: no reply, the ticket goes to the team
template    the reply that would be sent, or null
confidence  that the ticket is routed correctly, 0 to 1

--explain adds "reason" (why there is or is no reply), "gates" (all that are closed), "considered" (the template in
question), "secondary" (intents) and "automation_confidence".

A line that cannot be read is reported on standard error with the rule it breaks; the others are still answered.
Exit code: 0 all lines answered, 1 some were not or have an answer outside the schema, 2 wrong arguments or an
unreadable file.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from richpanel.classification.taxonomy import ControlTag, teams
from richpanel.decisions.command.recorded_answers import (
    RecordedAnswers,
    RecordedAnswersInvalid,
    read_answers,
)
from richpanel.decisions.command.samples import SampleInvalid, decided, parse_sample
from richpanel.decisions.outcome import Decision

ALL_ANSWERED, SOME_BAD, WRONG_USE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer all lines of the given files, or of standard input, and return the exit code."""
    options = _parser().parse_args(arguments)
    code = ALL_ANSWERED
    with ExitStack() as opened:
        try:
            recorded = read_answers(options.model_answers) if options.model_answers else None
            sources: list[tuple[str, IO[bytes]]] = [
                (name, opened.enter_context(Path(name).open("rb"))) for name in options.files
            ]
        except OSError as error:
            print(f"{error.filename}: {error.strerror}", file=sys.stderr)
            return WRONG_USE
        except RecordedAnswersInvalid as error:
            print(error, file=sys.stderr)
            return WRONG_USE
        for name, lines in sources or [("standard input", sys.stdin.buffer)]:
            for answer in _answers(name, lines, recorded, explain=options.explain):
                if answer is None:
                    code = SOME_BAD
                else:
                    print(json.dumps(answer))
    return code


def _answers(
    name: str, lines: Iterable[bytes], recorded: RecordedAnswers | None, *, explain: bool
) -> Iterator[dict[str, Any] | None]:
    """
    Yield an answer for each line that is not blank, and None for each error: a line that cannot be read, a recorded
    answer outside the schema. Errors are explained on standard error.
    """
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            sample = parse_sample(line)
        except SampleInvalid as error:
            print(f"{name}, line {number}: {error}", file=sys.stderr)
            yield None
            continue
        if recorded and (problem := recorded.problem(sample.id)):
            print(f"model answer of {name}, line {number}: {problem}", file=sys.stderr)
            yield None
        decision = decided(sample, recorded)
        answer = _answer(sample.id, decision)
        yield answer | _explanation(decision) if explain else answer


def _answer(sample_id: str | int, decision: Decision) -> dict[str, Any]:
    reply = decision.reply
    return {
        "id": sample_id,
        "intent": decision.intent,
        "team": teams[decision.team].name,
        "tags": [*decision.tags, *(reply.tags_when_sent if reply else ())],
        "tier": decision.tier,
        "action": _action(decision),
        "template": reply.template if reply else None,
        "confidence": decision.routing_confidence,
    }


def _action(decision: Decision) -> str:
    if decision.reply:
        return "auto_reply"
    return "escalate" if ControlTag.ESCALATED_HUMAN in decision.tags else "route_only"


def _explanation(decision: Decision) -> dict[str, Any]:
    return {
        "reason": decision.reason,
        "gates": [result.gate for result in decision.gates if not result.is_open],
        "considered": decision.considered,
        "secondary": list(decision.secondary),
        "automation_confidence": decision.automation_confidence,
    }


def _parser() -> argparse.ArgumentParser:
    summary, _, details = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m richpanel.decisions.command",
        description=summary.strip(),
        epilog=details,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "files", nargs="*", metavar="file", help="JSON lines files (default: standard input)"
    )
    parser.add_argument(
        "--explain", action="store_true", help="include the reasons for each decision"
    )
    parser.add_argument(
        "--model-answers", metavar="FILE", help="decide with the recorded answers of a model"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
