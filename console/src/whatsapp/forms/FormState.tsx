// The state of a form at its provider, and how many errors were found in it.

import type { Actions } from "../../api/routes";
import { named, t } from "../../texts/texts";
import { Badge } from "../../ui/controls";

export function FormState({ form: { status, validationErrors = [] } }: { form: Actions.Form }) {
  return (
    <>
      <Badge kind={status === "PUBLISHED" ? "good" : "plain"}>{status ? named("forms.status", status) : t("ops.unknown")}</Badge>
      {validationErrors.length > 0 && <span class="field-problem"> {t("forms.faulty", { count: validationErrors.length })}</span>}
    </>
  );
}
