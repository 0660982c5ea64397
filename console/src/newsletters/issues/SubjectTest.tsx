// A test of variants of an issue: further subjects and texts, a sample of the readers, and the choice between them.

import type { ApiError } from "../../api/errors";
import { useApp } from "../../app";
import { count, Table } from "../../operations/sections";
import { moment } from "../../texts/format";
import { t } from "../../texts/texts";
import { Button, Choices, ErrorNotice, Field } from "../../ui/controls";
import { useChange } from "../changes";
import { MOST_SUBJECTS, type Entered } from "./issueForm";
import type { Issue, Stats } from "../source";

export function SubjectTestFields({ entered, write, error }: { entered: Entered; write: (change: Partial<Entered>) => void; error: ApiError | null }) {
  const { otherSubjects: others, otherTexts: texts } = entered;
  const put = (at: number, text: string) => write({ otherSubjects: others.map((one, n) => (n === at ? text : one)) });
  const putText = (at: number, code: string) => write({ otherTexts: others.map((_, n) => (n === at ? code : (texts[n] ?? ""))) });
  const without = (at: number) => (_: string, n: number) => n !== at;
  return (
    <fieldset class="newsletter-choices">
      <legend class="field-label">{t("newsletter.subjects")}</legend>
      <p class="quiet">{t("newsletter.subjects.about")}</p>
      {others.map((subject, n) => (
        <div key={n} class="newsletter-columns">
          <Field label={t("newsletter.subjects.other", { number: n + 2 })} name={`subject_test.subjects.${n}`} error={error}>
            <input value={subject} required dir="auto" onInput={(event) => put(n, event.currentTarget.value)} />
          </Field>
          <Field label={t("newsletter.subjects.text", { number: n + 2 })} name={`subject_test.newsletter_codes.${n}`} error={error}>
            <input value={texts[n] ?? ""} dir="ltr" maxLength={20} placeholder="NL-" onInput={(event) => putText(n, event.currentTarget.value)} />
          </Field>
          <Button onClick={() => write({ otherSubjects: others.filter(without(n)), otherTexts: texts.filter(without(n)) })}>{t("newsletter.subjects.remove", { number: n + 2 })}</Button>
        </div>
      ))}
      {others.length < MOST_SUBJECTS && <Button onClick={() => write({ otherSubjects: [...others, ""] })}>{t("newsletter.subjects.add")}</Button>}
      {others.length > 0 && (
        <>
          <div class="newsletter-columns">
            <Field label={t("newsletter.subjects.sample")} name="subject_test.sample_percent" error={error}>
              <input type="number" min={5} max={50} required value={entered.sample} onInput={(event) => write({ sample: event.currentTarget.valueAsNumber })} />
            </Field>
            <Field label={t("newsletter.subjects.wait")} name="subject_test.wait_minutes" error={error}>
              <input type="number" min={0.5} max={48} step={0.5} required value={entered.waitHours} onInput={(event) => write({ waitHours: event.currentTarget.valueAsNumber })} />
            </Field>
          </div>
          <Choices legend={t("newsletter.subjects.decided_by")} name="newsletter-decided-by" values={["clicks", "person"] as const} textOf={(one) => t(`newsletter.subjects.decided_by.${one}`)} chosen={entered.decidedBy} onChoose={(decidedBy) => write({ decidedBy })} />
        </>
      )}
    </fieldset>
  );
}

export function Subjects({ issue, stats, onChange }: { issue: Issue; stats: Stats; onChange: () => Promise<void> }) {
  const isOpen = issue.decide_at != null && issue.winner == null && (issue.state === "sending" || issue.state === "paused");
  return (
    <>
      {isOpen && <p class="notice">{t("newsletter.subjects.open", { at: moment(issue.decide_at ?? "") })}</p>}
      <Table
        label={t("newsletter.subjects")}
        rows={stats.variants}
        keyOf={(one) => one.variant}
        empty={t("newsletter.subjects.none")}
        columns={[
          { name: t("newsletter.issue.subject"), cell: ({ subject, newsletter_code: code }) => <><bdi>{subject}</bdi>{code && <small class="quiet"> <bdi>{code}</bdi></small>}</> },
          { name: t("newsletter.result.sent"), cell: ({ sent }) => count(sent) },
          { name: t("newsletter.result.clicked"), cell: ({ clicked }) => count(clicked) },
          { name: t("newsletter.result.unsubscribed"), cell: ({ unsubscribed }) => count(unsubscribed) },
          { name: t("newsletter.subjects.winner"), cell: (one) => (isOpen ? <Choose issue={issue} of={one} onChange={onChange} /> : issue.winner === one.variant ? "✓" : "") },
        ]}
      />
    </>
  );
}

function Choose({ issue, of, onChange }: { issue: Issue; of: Stats["variants"][number]; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const choose = useChange(async () => {
    const body = { version: issue.version, variant: of.variant };
    await client.call("POST /newsletters/issues/{issue_id}/winner", { path: { issue_id: issue.issue_id }, body });
    await onChange();
  });
  return (
    <>
      <Button busy={choose.busy} label={t("newsletter.subjects.choose_one", { subject: of.subject })} onClick={() => void choose.run()}>
        {t("newsletter.subjects.choose")}
      </Button>
      {choose.error && <ErrorNotice error={choose.error} />}
    </>
  );
}
