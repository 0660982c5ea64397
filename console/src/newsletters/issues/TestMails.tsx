// Sends an issue to colleagues, and says what became of the mails.

import { useState } from "preact/hooks";
import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import { named, t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { useChange } from "../changes";
import { whyOf, type Issue } from "../source";

const POLL_MS = 2_000;
const VARIANTS = ["a", "b", "c", "d"] as const;
type Variant = (typeof VARIANTS)[number];

export function TestMails({ issue }: { issue: Issue }) {
  const { client } = useApp();
  const [to, setTo] = useState("");
  const [variant, setVariant] = useState<Variant>("a");
  const [test, setTest] = useState<{ id: string; to: string[] } | null>(null);
  const path = { issue_id: issue.issue_id };
  const addresses = to.split(/[\s,;]+/).filter(Boolean);
  const send = useChange(async () => {
    const { result } = await client.call("POST /newsletters/issues/{issue_id}/test", { path, body: { addresses, variant } });
    setTest({ id: result.test_id, to: addresses });
  });
  const mails = useResource(async (signal) => (test ? (await client.call("GET /newsletters/issues/{issue_id}/tests/{test_id}", { path: { ...path, test_id: test.id }, signal })).result.mails : []), [client, test], test ? POLL_MS : null);
  const problem = send.error?.details.find(({ field }) => field?.startsWith("addresses"))?.problem;
  return (
    <section class="ops-section" aria-label={t("newsletter.test")}>
      <h2>{t("newsletter.test")}</h2>
      <p class="quiet">{t("newsletter.test.about")}</p>
      <form
        class="ops-choose"
        aria-label={t("newsletter.test")}
        onSubmit={(event) => {
          event.preventDefault();
          void send.run();
        }}
      >
        <div class="newsletter-test">
          <Field label={t("newsletter.test.to")} name="addresses" error={send.error}>
            <input value={to} onInput={(event) => setTo(event.currentTarget.value)} />
          </Field>
          {problem && <p class="field-problem" role="alert">{problem}</p>}
        </div>
        {issue.subject_test && (
          <Field label={t("newsletter.test.variant")} name="variant" error={send.error}>
            <select value={variant} onChange={(event) => setVariant(event.currentTarget.value as Variant)}>
              {[issue.subject, ...issue.subject_test.subjects].map((subject, at) => (
                <option key={at} value={VARIANTS[at]}>
                  {t("newsletter.checks.variant", { number: at + 1 })} {subject}
                </option>
              ))}
            </select>
          </Field>
        )}
        <Button type="submit" busy={send.busy} disabled={!addresses.length}>
          {t("newsletter.test.send")}
        </Button>
      </form>
      {send.error && <ErrorNotice error={send.error} fields={addresses.map((_, at) => `addresses.${at}`)} />}
      {test && mails.value && mails.value.length > 0 && (
        <div role="status">
          {mails.value.map(({ state, outcome, reason }, at) => (
            <p key={at}>
              <bdi>{test.to[at]}</bdi>: {outcome ? t(`newsletter.test.outcome.${outcome}`) : named("newsletter.recipient", state)} {reason && whyOf(reason)}
            </p>
          ))}
        </div>
      )}
    </section>
  );
}
