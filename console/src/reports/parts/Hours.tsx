// The business hours of the company, and the zone of the days of its reports.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import type { ConsoleApi } from "../../api/routes";
import { useApp } from "../../app";
import { BusinessHours } from "../../operations/channels/mailboxes/BusinessHours";
import { formOf, hoursOf } from "../../operations/channels/mailboxes/hours";
import { Section } from "../../operations/sections";
import { t } from "../../texts/texts";
import { Button, ErrorNotice } from "../../ui/controls";
import { showToast } from "../../ui/toastList";

export function Hours() {
  const { client } = useApp();
  const settings = useResource(async (signal) => (await client.call("GET /reports/settings", { signal })).result, [client]);
  return (
    <Section title={t("report.part.hours")} about={t("report.hours.about")} resource={settings}>
      {(found) => <Form key={found.version} settings={found} onStored={settings.reload} />}
    </Section>
  );
}

function Form({ settings, onStored }: { settings: ConsoleApi.ReportSettingsView; onStored: () => Promise<void> }) {
  const { client } = useApp();
  const [hours, setHours] = useState(() => formOf(settings.business_hours ?? null, Intl.DateTimeFormat().resolvedOptions().timeZone));
  const save = useAction(async () => {
    await client.call("PUT /reports/settings", { body: { business_hours: hoursOf(hours), version: settings.version } });
    showToast(t("report.hours.stored"));
    await onStored();
  });
  return (
    <form
      class="ops-editor"
      aria-label={t("report.part.hours")}
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      {save.error && <ErrorNotice error={save.error} />}
      <BusinessHours hours={hours} error={save.error} onChange={setHours} />
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={save.busy}>
          {t("ops.store")}
        </Button>
      </div>
    </form>
  );
}
