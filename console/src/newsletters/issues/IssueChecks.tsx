// What an issue needs before it is sent, and its approval, after which its content stays as it is.

import { useState } from "preact/hooks";
import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import { count, Section } from "../../operations/sections";
import { t, type Key } from "../../texts/texts";
import { Badge, Button, ErrorNotice } from "../../ui/controls";
import { useChange } from "../changes";
import { lowerLimit, stored, utcDay, type Checklist, type Issue } from "../source";

const CLAIMS = "claims"; // warnings of the text, which a person may accept

export function IssueChecks({ issue, onChange }: { issue: Issue; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const [areRead, setRead] = useState(false);
  const path = { issue_id: issue.issue_id };
  const found = useResource(async (signal) => (await client.call("GET /newsletters/issues/{issue_id}/checklist", { path, signal })).result, [client, issue.issue_id]);
  const approve = useChange(async () => {
    const content_id = found.value?.content_id ?? ""; // of what this page shows
    try {
      await client.call("POST /newsletters/issues/{issue_id}/approve", { path, body: { version: issue.version, content_id, acknowledge_warnings: areRead } });
    } catch (failure) {
      void found.reload();
      throw failure;
    }
    stored();
    await onChange();
  });
  return (
    <Section title={t("newsletter.checks")} about={t("newsletter.checks.about")} resource={found}>
      {({ checks, bytes, content_id, warm_up }) => {
        const blocking = checks.filter(({ level, code }) => level === "blocks" && !(areRead && code === CLAIMS));
        return (
          <>
            {checks.length === 0 && <p>{t("newsletter.checks.none")}</p>}
            <ul class="newsletter-checks">
              {checks.map(({ code, level, problem, facts, variant }) => (
                <li key={`${code} ${variant ?? ""}`}>
                  <Badge kind={level === "blocks" ? "danger" : "warn"}>{t(`newsletter.level.${level}`)}</Badge> {variant && t("newsletter.checks.variant", { number: "abcd".indexOf(variant) + 1 })} {code === "warm_up" && warm_up ? warmUpText(warm_up) : checkText(code, problem, facts)}
                </li>
              ))}
            </ul>
            {bytes !== null && bytes !== undefined && <p class="quiet">{t("newsletter.checks.size", { size: Math.ceil(bytes / 1024) })}</p>}
            {issue.state === "draft" && (
              <>
                {checks.some(({ code }) => code === CLAIMS) && (
                  <label class="choice-line">
                    <input type="checkbox" checked={areRead} onChange={(event) => setRead(event.currentTarget.checked)} />
                    <span>{t("newsletter.checks.acknowledge")}</span>
                  </label>
                )}
                {approve.error && <ErrorNotice error={approve.error} />}
                <div class="ops-editor-end">
                  <Button kind="primary" busy={approve.busy} disabled={blocking.length > 0 || !content_id} onClick={() => void approve.run()}>
                    {t("newsletter.approve")}
                  </Button>
                </div>
              </>
            )}
          </>
        );
      }}
    </Section>
  );
}

function warmUpText(warmUp: NonNullable<Checklist["warm_up"]>): string {
  const { limit, sent_today, people, is_all, ends_on } = warmUp;
  const facts = { limit: count(limit), sent: count(sent_today), people: count(people), day: utcDay(ends_on) };
  return t(is_all ? "newsletter.warm_up.before" : "newsletter.warm_up.before_more", facts) + lowerLimit(warmUp);
}

// A release that is older than the API may lack the text of a finding.
function checkText(code: string, problem: string, facts: Record<string, string> = {}): string {
  const key = `newsletter.check.${code}` as Key;
  const isNumber = /^\d+(\.\d+)?$/;
  const values = Object.entries(facts).map(([name, value]) => [name, isNumber.test(value) ? count(Number(value)) : value]);
  const shown = t(key, Object.fromEntries(values));
  return shown === key ? problem : shown;
}
