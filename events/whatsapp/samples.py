"""All WhatsApp samples in order: what the tests, the demo and the files are made from."""

from events.whatsapp.scenes.about_accounts import about_numbers, about_templates, about_the_account
from events.whatsapp.scenes.answers import answers_of_customers
from events.whatsapp.scenes.attachments import attachments, bad_files
from events.whatsapp.scenes.beside_messages import calls, choices_and_payments, group, history
from events.whatsapp.scenes.deliveries import notices, regrouped, unwanted
from events.whatsapp.scenes.first_contact import first_contact
from events.whatsapp.scenes.second_thoughts import second_thoughts
from events.whatsapp.scenes.shop import answers_of_the_shop
from events.whatsapp.scenes.who_is_who import who_is_who
from events.whatsapp.scenes.workshop import workshop
from events.whatsapp.story import START, Sample, Story

__all__ = ["sample", "samples"]

_SCENES = (
    first_contact,
    attachments,
    answers_of_the_shop,
    answers_of_customers,
    second_thoughts,
    who_is_who,
    regrouped,
    about_templates,
    notices,
    about_numbers,
    about_the_account,
    unwanted,
    bad_files,
    workshop,
    calls,
    history,
    group,
    choices_and_payments,
)


def samples(start: int = START) -> list[Sample]:
    """
    The whole day, in order; what each sample expects holds when those before it were taken.

    `start` is the midnight of the day, in seconds since 1970. The files tell START. Another start
    moves every timestamp and makes other message ids and signatures: for a stack to which the day
    of the files is too long ago (media that the provider has dropped) or was told before. Choose a
    day that is over: times ahead of the clock are not believed.
    """
    story = Story(start)
    return [told for scene in _SCENES for told in scene(story)]


def sample(name: str, start: int = START) -> Sample:
    """The sample of this name; KeyError when there is none."""
    return {told.name: told for told in samples(start)}[name]
