// Met and breached targets of a mailbox by day, and how satisfied its customers are.

import { useState } from "preact/hooks";
import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import { t } from "../../texts/texts";
import { count, Section, Table } from "../sections";

const COUNTS = [
  ["ops.service.response_met", "first_response_met"],
  ["ops.service.response_breached", "first_response_breached"],
  ["ops.service.resolution_met", "resolution_met"],
  ["ops.service.resolution_breached", "resolution_breached"],
  ["ops.service.questions_asked", "questions_asked"],
  ["ops.service.score_5", "score_5"],
  ["ops.service.score_4", "score_4"],
  ["ops.service.score_3", "score_3"],
  ["ops.service.score_2", "score_2"],
  ["ops.service.score_1", "score_1"],
] as const;

export function ServiceLevels() {
  const { client } = useApp();
  const [chosen, setChosen] = useState("");
  const report = useResource(
    async (signal) => {
      const { mailboxes } = (await client.call("GET /email-mailboxes", { signal })).result;
      const address = chosen || mailboxes[0]?.address;
      if (!address) return { mailboxes, address: "", days: [] };
      const answer = await client.call("GET /email-mailboxes/{address}/service-levels", { path: { address }, signal });
      return { mailboxes, address, days: answer.result.days };
    },
    [client, chosen],
  );
  const tools = (
    <label class="ops-filter">
      <span class="field-label">{t("ops.service.mailbox")}</span>
      <select value={report.value?.address ?? ""} onChange={(event) => setChosen(event.currentTarget.value)}>
        {(report.value?.mailboxes ?? []).map(({ address }) => (
          <option key={address} value={address}>
            {address}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <Section title={t("ops.part.service")} about={t("ops.service.about")} resource={report} tools={tools}>
      {(found) => (
        <Table
          label={t("ops.part.service")}
          rows={[...found.days].reverse()}
          keyOf={(day) => day.date}
          empty={t("ops.service.none")}
          columns={[
            { name: t("ops.service.day"), cell: (day) => <b>{day.date}</b> },
            ...COUNTS.map(([text, name]) => ({ name: t(text), isNumber: true, cell: (day: (typeof found.days)[number]) => count(day[name]) })),
          ]}
        />
      )}
    </Section>
  );
}
