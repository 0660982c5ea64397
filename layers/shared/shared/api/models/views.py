"""Base of the response models."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class View(BaseModel):
    """Part of a response. *omits_none* of the outermost model: whether fields that are None are absent or null."""

    model_config = ConfigDict(defer_build=True, hide_input_in_errors=True)
    omits_none: ClassVar[bool] = True
