"""Input model of tries of a company's settings."""

from pydantic import Field, model_validator

from newsletters.api.company.tries.written import Step, WrittenNewsletter
from newsletters.api.inputs import VersionedSettings
from shared.ai.versions.inputs import Number
from shared.api.models.inputs import Input


class StepTrialInput(Input):
    """
    A step to try: of the written *newsletter*, or of the stored one with *code*, as the worker would run it now; its
    *section* is the id of one of its outline. *version* is by default the live one; *settings* change it for this call.
    """

    step: Step
    newsletter: WrittenNewsletter | None = None
    code: str | None = Field(default=None, max_length=20)
    section: str | None = Field(default=None, max_length=60)
    version: Number | None = None
    settings: VersionedSettings = VersionedSettings()

    @model_validator(mode="after")
    def _has_what_the_step_needs(self) -> "StepTrialInput":
        if (self.newsletter is None) == (self.code is None):
            raise ValueError("either newsletter or code must be given")
        missing = self.newsletter.missing_for(self.step) if self.newsletter else None
        if missing is not None:
            raise ValueError(f"newsletter.{missing} is needed for the step {self.step}")
        if (self.section is not None) != (self.code is not None and self.step == "section"):
            raise ValueError(
                "section must be given for the step section of a stored newsletter only"
            )
        return self
