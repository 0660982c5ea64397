// The retry of a campaign: makes the one to those whose message failed, or leads to it, and from it to the first one.

import { useAction } from "../api/resource";
import { useApp } from "../app";
import { go, placeOf } from "../shell/router";
import { t } from "../texts/texts";
import { Button, ErrorNotice } from "../ui/controls";
import type { Campaign } from "./source";

const LONGEST_NAME = 100;

export function Retry({ campaign }: { campaign: Campaign }) {
  const { client } = useApp();
  const { campaignId, name, status, audience, retriedBy } = campaign;
  const retry = useAction(async () => {
    const campaignName = t("campaign.retry.name", { name }).slice(0, LONGEST_NAME);
    const made = await client.call("POST /whatsapp/actions/retry_campaign", { body: { campaignId, campaignName } });
    go(placeOf("campaigns", made.result.campaignId));
  });
  return (
    <>
      {audience?.kind === "failed" && (
        <p>
          {t("campaign.retry.of")}{" "}
          <a class="link" href={placeOf("campaigns", audience.id)}>
            {t("campaign.retry.first")}
          </a>
        </p>
      )}
      {status === "completed" && (
        <div class="ops-editor-end">
          {retriedBy && (
            <a class="link" href={placeOf("campaigns", retriedBy)}>
              {t("campaign.retry.made")}
            </a>
          )}
          {!retriedBy && (
            <Button busy={retry.busy} onClick={() => void retry.run()}>
              {t("campaign.retry")}
            </Button>
          )}
        </div>
      )}
      {status === "completed" && !retriedBy && <p class="quiet">{t("campaign.retry.about")}</p>}
      {retry.error && <ErrorNotice error={retry.error} onRetry={() => void retry.run()} />}
    </>
  );
}
