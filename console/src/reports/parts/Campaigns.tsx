// Results of WhatsApp campaigns that began in the range, the newest 20 of each account.

import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import { Section } from "../../operations/sections";
import { t } from "../../texts/texts";
import { campaignsOf } from "../accounts";
import { Plot } from "../Plot";
import type { PartProps } from "../Reports";

const MOST = 20;

export function Campaigns({ asked: { from, to } }: PartProps) {
  const { client } = useApp();
  const found = useResource((signal) => campaignsOf(client, MOST, signal), [client]);
  return (
    <Section title={t("report.part.campaigns")} about={t("report.campaigns.about", { count: MOST })} resource={found}>
      {(campaigns) => {
        // Days of UTC, as the API has them.
        const shown = campaigns.filter(({ createdAt }) => createdAt.slice(0, 10) >= from && createdAt.slice(0, 10) <= to);
        return (
          <>
            <Plot
              title={t("report.campaigns.arrived")}
              first={t("report.campaign")}
              series={[t("report.campaigns.read"), t("report.campaigns.delivered"), t("report.campaigns.sent")]}
              lines={shown.map(({ campaignId, name, read = 0, delivered = 0, sent = 0 }) => ({
                key: campaignId,
                name,
                values: [read, Math.max(0, delivered - read), Math.max(0, sent - delivered)],
              }))}
            />
            <Plot
              title={t("report.campaigns.left_out")}
              first={t("report.campaign")}
              series={[t("report.campaigns.failed"), t("report.campaigns.refused"), t("report.campaigns.invalid"), t("report.campaigns.cancelled"), t("report.campaigns.in_doubt")]}
              lines={shown.map(({ campaignId, name, failed = 0, refused = 0, invalid = 0, duplicate = 0, cancelled = 0, inDoubt = 0 }) => ({
                key: campaignId,
                name,
                values: [failed, refused, invalid + duplicate, cancelled, inDoubt],
              }))}
            />
          </>
        );
      }}
    </Section>
  );
}
