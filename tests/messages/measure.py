"""What the decisions on labelled messages are worth: intents, automatic replies, Tier 0."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from richpanel.classification.classifier import classify
from richpanel.classification.taxonomy import Intent, Level, intents
from tests.messages.corpus import Labelled
from tests.unit.richpanel.situations import outcome, turn


@dataclass(slots=True)
class Report:
    """
    The results for a set of messages; the lists hold ids. *wrong_replies*: the intent of the reply is another one;
    those that send the template of the right intent anyway are in *same_template*, too. *silenced*: ordinary messages
    whose reply a weak Tier 0 signal forbids.
    """

    messages: int = 0
    ordinary: int = 0
    wrong: dict[str, tuple[Intent, Intent]] = field(default_factory=dict)
    replies: list[str] = field(default_factory=list)
    wrong_replies: list[str] = field(default_factory=list)
    same_template: list[str] = field(default_factory=list)
    tier0_missed: list[str] = field(default_factory=list)
    tier0_false: list[str] = field(default_factory=list)
    tier0_answered: list[str] = field(default_factory=list)
    silenced: list[str] = field(default_factory=list)

    @property
    def right(self) -> float:
        """The share of messages with the labelled intent."""
        return 1 - len(self.wrong) / self.messages

    def __str__(self) -> str:
        tier0 = self.messages - self.ordinary
        return (
            f"{self.messages} messages, intent right {self.right:.1%}; {len(self.replies)} automatic replies, "
            f"{len(self.wrong_replies)} for another intent ({len(self.same_template)} of them with the same "
            f"template); Tier 0: {len(self.tier0_missed)} of {tier0} missed, {len(self.tier0_answered)} answered, "
            f"{len(self.tier0_false)} of {self.ordinary} ordinary ones false, {len(self.silenced)} held"
        )


def measure(messages: Iterable[Labelled]) -> Report:
    """Decide each message without a language model and with every gate open, and compare with its label."""
    report = Report()
    for each in messages:
        classification = classify(each.message)
        decision = outcome(turn(classification, channel=each.message.channel))
        is_tier0 = intents[each.intent].level is Level.P0
        report.messages += 1
        report.ordinary += not is_tier0
        if decision.intent is not each.intent:
            report.wrong[each.id] = (each.intent, decision.intent)
        if decision.reply:
            report.replies.append(each.id)
            if decision.intent is not each.intent:
                report.wrong_replies.append(each.id)
                if decision.reply.template == intents[each.intent].template:
                    report.same_template.append(each.id)
        if is_tier0 and decision.tier != 0:
            report.tier0_missed.append(each.id)
        if is_tier0 and decision.reply:
            report.tier0_answered.append(each.id)
        if decision.tier == 0 and not is_tier0:
            report.tier0_false.append(each.id)
        if classification.suspected_tier0 and not is_tier0:
            report.silenced.append(each.id)
    return report
