// WhatsApp messages by day, from the counts of each account, whose days are UTC days.

import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import { Section } from "../../operations/sections";
import { t } from "../../texts/texts";
import { accountsOf } from "../accounts";
import { Plot } from "../Plot";
import type { PartProps } from "../Reports";
import { before, datesOf } from "../query";
import { total } from "../series";

const MOST_DAYS = 90; // of the API

export function Messages({ asked }: PartProps) {
  const { client } = useApp();
  const first = asked.from < before(asked.to, MOST_DAYS - 1) ? before(asked.to, MOST_DAYS - 1) : asked.from;
  const messages = useResource(
    async (signal) => {
      const accounts = await accountsOf(client, signal);
      const answers = await Promise.all(accounts.map((waba) => client.call("GET /whatsapp/analytics", { query: { waba, from: first, to: asked.to }, signal })));
      return answers.flatMap(({ result }) => result.analytics);
    },
    [client, first, asked.to],
  );
  return (
    <Section title={t("report.messages")} about={t("report.messages.about", { days: MOST_DAYS })} resource={messages}>
      {(found) => (
        <Plot
          title={t("report.messages_by_day")}
          first={t("report.day")}
          series={[t("report.received"), t("report.sent")]}
          lines={datesOf(first, asked.to).map((name) => {
            const days = found.filter(({ date }) => date === name);
            return { name, values: [total(days.map((day) => day.messagesReceived)), total(days.map((day) => day.messagesSent))] };
          })}
        />
      )}
    </Section>
  );
}
