import type { Resource } from "../../api/resource";
import { useAction } from "../../api/resource";
import type { ConsoleOperations } from "../../api/routes";
import { useApp } from "../../app";
import { USUAL } from "../../operations/channels/mailboxes/hours";
import { language as own, t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { showToast } from "../../ui/toastList";
import type { StepProps } from "../Setup";

const LANGUAGES = ["en", "de", "ar"] as const;
const ZONES = "setup-zones";
type Language = (typeof LANGUAGES)[number];

export function CompanyStep({ entered, onEnter, onDone, company }: StepProps & { company: Resource<ConsoleOperations.CompanyView> }) {
  const { client } = useApp();
  const stored = company.value;
  const name = entered.name || stored?.name || "";
  const language = (entered.language || (stored?.name ? stored.language : own)) as Language;
  const save = useAction(async () => {
    await client.call("POST /operations/company", { body: { name: name.trim(), language, version: stored?.version ?? 0 } });
    await onDone(); // its new version, if the zone is refused
    const reports = (await client.call("GET /reports/settings")).result;
    // Hours that a colleague has set stay; the zone is theirs.
    const hours = reports.business_hours ?? { periods: [USUAL], holidays: [] };
    const time_zone = entered.zone.trim();
    await client.call("PUT /reports/settings", { body: { business_hours: { ...hours, time_zone }, version: reports.version } });
    showToast(t("setup.stored"));
  });
  return (
    <form
      class="ops-editor"
      aria-label={t("setup.step.company")}
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      {company.error && <ErrorNotice error={company.error} onRetry={() => void company.reload()} />}
      {save.error && <ErrorNotice error={save.error} fields={["name", "business_hours.time_zone"]} onRetry={() => void save.run()} />}
      <Field label={t("setup.company.name")} name="name" error={save.error}>
        <input dir="auto" required maxLength={80} value={name} onInput={(event) => onEnter({ name: event.currentTarget.value })} />
      </Field>
      <Field label={t("setup.company.zone")} name="business_hours.time_zone" error={save.error}>
        <input required dir="ltr" list={ZONES} maxLength={64} value={entered.zone} onInput={(event) => onEnter({ zone: event.currentTarget.value })} />
      </Field>
      <datalist id={ZONES}>
        {Intl.supportedValuesOf("timeZone").map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <p class="quiet">{t("setup.company.hours")}</p>
      <Field label={t("setup.company.language")} name="language" error={save.error}>
        <select value={language} onChange={(event) => onEnter({ language: event.currentTarget.value })}>
          {LANGUAGES.map((one) => (
            <option key={one} value={one}>
              {new Intl.DisplayNames([one], { type: "language" }).of(one)}
            </option>
          ))}
        </select>
      </Field>
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={save.busy} disabled={stored === null}>
          {t("ops.store")}
        </Button>
      </div>
    </form>
  );
}
