"""Routes of templates: the looks among which the issues of a company choose."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from newsletters.api.access import NotFound
from newsletters.issues.api import template_models as models
from newsletters.issues.dependencies import IssueDependencies
from newsletters.store import series
from newsletters.store.items import MailTemplate
from newsletters.store.items.item import timestamp
from newsletters.store.items.templates import Colours
from newsletters.store.readers import templates
from shared.api.auth import Caller, Scope
from shared.api.errors import InvalidInput
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.aws.sqs_fifo import digest
from shared.runtime import clock

_ALL: Final = "/newsletters/templates"
_ONE: Final = f"{_ALL}/{{template_id}}"
_ADMIN: Final = Scope.NEWSLETTERS_ADMIN
_READ = (Scope.NEWSLETTERS_READ, Scope.NEWSLETTERS_WRITE, Scope.NEWSLETTERS_SEND, _ADMIN)
_ID_DIGITS: Final = 16
_OPTIONAL: Final = frozenset({"logo_url", "logo_alt"})


class TemplateInUse(Exception):
    """A series uses the template."""


@dataclass(frozen=True, slots=True)
class TemplateRoutes:
    """The routes over the dependencies of issues."""

    deps: IssueDependencies

    @route_methods.reads(f"GET {_ALL}", *_READ)
    def list_templates(self, request: Request[NoInput]) -> models.Templates:
        """List the templates of the company."""
        found = templates.of_company(self.deps.store.table, request.caller.company)
        return models.Templates(templates=[_view(one) for one in found])

    @route_methods.reads(f"GET {_ONE}", *_READ)
    def get_template(self, request: Request[NoInput], template_id: str) -> models.TemplateView:
        """Return a template."""
        return _view(self._found(request.caller, template_id))

    @route_methods.changes(f"POST {_ALL}", _ADMIN, status=HTTPStatus.CREATED)
    def create_template(
        self, request: Request[models.TemplateInput]
    ) -> Callable[[], models.TemplateView]:
        """Make a look that issues may have."""
        template_id = digest("template", request.cause)[:_ID_DIGITS]
        made = _checked(request, template_id, request.input.model_dump(), version=0)
        return lambda: _view(templates.put(self.deps.store.table, made))

    @route_methods.changes(f"PATCH {_ONE}", _ADMIN)
    def change_template(
        self, request: Request[models.TemplateChange], template_id: str
    ) -> Callable[[], models.TemplateView]:
        """Change a template. Issues that are approved keep the look in which they were approved."""
        found = self._found(request.caller, template_id)
        given = {name: one for name, one in request.input.given().items() if name != "version"}
        missing = [name for name, one in given.items() if one is None and name not in _OPTIONAL]
        if missing:
            raise InvalidInput([{"field": one, "problem": "must not be null"} for one in missing])
        if request.input.colours is not None:
            given["colours"] = request.input.colours.model_dump()
        fields = found.model_dump(exclude={"PK", "SK"}) | given
        made = _checked(request, template_id, fields, version=request.input.version)
        return lambda: _view(templates.put(self.deps.store.table, made))

    @route_methods.changes(f"DELETE {_ONE}", _ADMIN)
    def remove_template(
        self, request: Request[NoInput], template_id: str
    ) -> Callable[[], models.RemovedTemplate]:
        """Remove a template that no series uses. Approved issues keep their look, others need a new one."""
        company, table = request.caller.company, self.deps.store.table
        self._found(request.caller, template_id)
        if any(
            (one.issue or {}).get("template_id") == template_id
            for one in series.of_company(table, company)
        ):
            raise TemplateInUse("template_id: a series uses the template")

        def change() -> models.RemovedTemplate:
            templates.remove(table, company, template_id)
            return models.RemovedTemplate(template_id=template_id)

        return change

    def _found(self, caller: Caller, template_id: str) -> MailTemplate:
        is_id = len(template_id) == _ID_DIGITS and template_id.isalnum()
        found = templates.get(self.deps.store.table, caller.company, template_id) if is_id else None
        if found is None:
            raise NotFound("template_id: template not found")
        return found


def _checked(
    request: Request[Any], template_id: str, fields: dict[str, Any], *, version: int
) -> MailTemplate:
    """Return a template of these fields. Raises InvalidInput if a logo has no text, or a text no logo."""
    if bool(fields.get("logo_url")) != bool(fields.get("logo_alt")):
        problem = "a logo needs both: its address, and a text for readers who do not see it"
        raise InvalidInput([{"field": "logo_alt", "problem": problem}])
    company = request.caller.company
    own = {
        "company_id": company,
        "template_id": template_id,
        "colours": Colours(**fields["colours"]),
        "updated_at": timestamp(clock.now_ms()),
        "updated_by": request.caller.principal,
        "version": version,
    }
    return MailTemplate(**MailTemplate.key(company, template_id), **(fields | own))


def _view(of: MailTemplate) -> models.TemplateView:
    names = models.TemplateView.model_fields.keys() - {"colours"}
    return models.TemplateView(
        **{name: getattr(of, name) for name in names},
        colours=models.ColoursView(accent=of.colours.accent, page=of.colours.page),
    )
