// The test of two templates: its rule, how both stand, and the decision; on the pages of the variants, the way to it.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import type { Actions } from "../../api/routes";
import { useApp } from "../../app";
import { Confirm, count, Section, Table } from "../../operations/sections";
import { placeOf } from "../../shell/router";
import { moment } from "../../texts/format";
import { named, t } from "../../texts/texts";
import { Button } from "../../ui/controls";
import { percent } from "../costs/money";
import type { Campaign } from "../source";

const POLL_MS = 15_000;
type Variant = Actions.VariantResultView;

export function Trial({ campaign, onChange }: { campaign: Campaign; onChange: () => Promise<void> }) {
  const { test, testOf, part } = campaign;
  if (testOf)
    return (
      <p>
        {t("campaign.trial.part", { part: (part ?? "").toUpperCase() })}{" "}
        <a class="link" href={placeOf("campaigns", testOf)}>
          {t("campaign.trial.to_it")}
        </a>
      </p>
    );
  return test ? <Standing campaign={campaign} test={test} onChange={onChange} /> : null;
}

function Standing({ campaign, test, onChange }: { campaign: Campaign; test: Actions.TestView; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const { campaignId, status } = campaign;
  const [asked, setAsked] = useState<"a" | "b" | null>(null);
  const found = useResource(async (signal) => (await client.call("POST /whatsapp/actions/get_campaign_test", { body: { campaignId }, signal })).result, [client, campaignId], POLL_MS);
  const decide = useAction(async () => {
    if (asked) await client.call("POST /whatsapp/actions/decide_campaign_test", { body: { campaignId, winner: asked } });
  });
  const isOpen = Boolean(test.begunAt) && !test.winner && ["scheduled", "paused"].includes(status);
  const { measure, minimum, confidence, hours, decision } = test;
  return (
    <Section title={t("campaign.trial")} about={t("campaign.trial.rule", { measure: named("campaign.result", measure), share: test.share, minimum, confidence, hours })} resource={found}>
      {(result) => (
        <>
          <p role="status">{stateOf(test)}</p>
          <Table
            label={t("campaign.trial")}
            rows={result.variants}
            keyOf={(one) => one.part}
            empty=""
            columns={[
              { name: t("campaign.trial.variant"), cell: (one) => <NameOf variant={one} /> },
              { name: t("campaign.template"), cell: (one) => one.templateName },
              { name: t("campaign.result.sent"), isNumber: true, cell: (one) => count(one.sent) },
              { name: named("campaign.result", measure), isNumber: true, cell: (one) => (one.sent ? t("campaign.trial.counted", { count: count(one.counted), share: percent(one.counted / one.sent) }) : count(one.counted)) },
            ]}
          />
          {test.begunAt && !test.winner && <p class="quiet">{t(!result.hasMinimum ? "campaign.trial.too_few" : result.isSignificant ? "campaign.trial.differs" : "campaign.trial.equal")}</p>}
          {isOpen && (
            <>
              <p class="quiet">{t(decision === "rule" && !test.verdict ? "campaign.trial.by_rule" : "campaign.trial.by_person")}</p>
              <div class="ops-editor-end">
                {(["a", "b"] as const).map((one) => (
                  <Button key={one} onClick={() => setAsked(one)}>
                    {t("campaign.trial.choose", { part: one.toUpperCase() })}
                  </Button>
                ))}
              </div>
            </>
          )}
          {asked && (
            <Confirm
              title={t("campaign.trial.choose", { part: asked.toUpperCase() })}
              action={decide}
              button={t("campaign.trial.send_rest")}
              onClose={() => setAsked(null)}
              onDone={() => {
                setAsked(null);
                void found.reload();
                void onChange();
              }}
            >
              <p>{t("campaign.trial.choose.about")}</p>
            </Confirm>
          )}
        </>
      )}
    </Section>
  );
}

function NameOf({ variant: { part, campaignId } }: { variant: Variant }) {
  return campaignId ? <a class="link" href={placeOf("campaigns", campaignId)}>{part.toUpperCase()}</a> : <>{part.toUpperCase()}</>;
}

function stateOf({ begunAt, observedFrom, verdict, winner, decidedAt, decidedBy }: Actions.TestView): string {
  if (winner) return t(decidedBy ? "campaign.trial.chosen" : "campaign.trial.won", { part: winner.toUpperCase(), at: moment(decidedAt ?? "") });
  if (verdict) return named("campaign.trial.verdict", verdict);
  if (observedFrom) return t("campaign.trial.observed", { at: moment(observedFrom) });
  return t(begunAt ? "campaign.trial.sending" : "campaign.trial.waits");
}
