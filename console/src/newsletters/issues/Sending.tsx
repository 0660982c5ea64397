// The issues of a newsletter, and a new one: to whom, from whom, on which ground.

import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import { go, placeOf } from "../../shell/router";
import { t } from "../../texts/texts";
import { Button, Choices, ErrorNotice, Field, Skeleton } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { useChange } from "../changes";
import { IssueList } from "./IssueList";
import { kept, LISTS, requestOf, SEGMENTS, withList, type Entered } from "./issueForm";
import type { StepProps } from "../NewsletterPage";
import { SubjectTestFields } from "./SubjectTest";
import { audiencesOf, PLACE, stepName, type Audiences, type Look, type Newsletter } from "../source";

const FIELDS = ["subject", "preheader", "list_ids", "segment_ids", "sender", "sender_name", "reply_to", "postal_address", "permission_line", "consent_statement", "template_id", ...[0, 1, 2].map((n) => `subject_test.subjects.${n}`), "subject_test.sample_percent", "subject_test.wait_minutes"];

export function Sending({ newsletter }: StepProps) {
  const { client } = useApp();
  const audiences = useResource((signal) => audiencesOf(client, signal), [client]);
  const looks = useResource(async (signal) => (await client.call("GET /newsletters/templates", { signal })).result.templates, [client]);
  const code = newsletter.metadata.newsletter_code;
  return (
    <>
      <section class="ops-section" aria-label={stepName("send")}>
        <h2>{t("newsletter.issue.new")}</h2>
        <p class="quiet">{t("newsletter.issue.about")}</p>
        {newsletter.metadata.status !== "exported" && <p class="notice">{t("newsletter.issue.export_first")}</p>}
        {looks.error && <ErrorNotice error={looks.error} onRetry={() => void looks.reload()} />}
        {audiences.error && <ErrorNotice error={audiences.error} onRetry={() => void audiences.reload()} />}
        {!audiences.value && !audiences.error && <Skeleton rows={4} kind="row" />}
        {audiences.value && (audiences.value.lists.length + audiences.value.segments.length ? <IssueForm newsletter={newsletter} audiences={audiences.value} looks={looks.value} /> : <p class="notice">{t("newsletter.issue.no_audience")}</p>)}
      </section>
      <IssueList of={code} />
    </>
  );
}

function IssueForm({ newsletter, audiences, looks }: { newsletter: Newsletter; audiences: Audiences; looks: readonly Look[] | null }) {
  const { client } = useApp();
  const code = newsletter.metadata.newsletter_code;
  const draft = useDraft(`newsletter issue ${code}`);
  const entered = kept(draft.text);
  const write = (change: Partial<Entered>) => draft.write(JSON.stringify({ ...entered, ...change }));
  const create = useChange(async () => {
    const body = requestOf(entered, code);
    const { result } = await client.call("POST /newsletters/issues", { body, key: draft.keyFor(body) });
    draft.sent(draft.text);
    go(placeOf(PLACE, result.issue_id));
  });
  const choose = (value: string, isChosen: boolean) => {
    const chosen = isChosen ? [...entered.audiences, value] : entered.audiences.filter((one) => one !== value);
    const next = { ...entered, audiences: chosen };
    const list = isChosen ? audiences.published.find(({ list_id }) => LISTS + list_id === value) : undefined;
    draft.write(JSON.stringify(withList(next, list)));
  };
  const { error } = create;
  const groups = [
    { kind: "list", found: audiences.lists.map(({ listId, name }) => ({ value: LISTS + listId, name })) },
    { kind: "segment", found: audiences.segments.map(({ segmentId, name }) => ({ value: SEGMENTS + segmentId, name })) },
  ] as const;
  const audienceProblem = error?.details.find(({ field }) => /^(list_ids|segment_ids|body)/.test(field ?? ""));
  return (
    <form
      class="ops-editor newsletter-form"
      aria-label={t("newsletter.issue.new")}
      onSubmit={(event) => {
        event.preventDefault();
        void create.run();
      }}
    >
      <Field label={t("newsletter.issue.subject")} name="subject" error={error}>
        <input value={entered.subject} required dir="auto" onInput={(event) => write({ subject: event.currentTarget.value })} />
      </Field>
      <Field label={t("newsletter.issue.preheader")} name="preheader" error={error}>
        <input value={entered.preheader} dir="auto" onInput={(event) => write({ preheader: event.currentTarget.value })} />
      </Field>
      <p class="quiet">{t("newsletter.issue.names")}</p>
      <SubjectTestFields entered={entered} write={write} error={error} />
      {groups.map(({ kind, found }) => found.length > 0 && (
        <fieldset key={kind} class="newsletter-choices">
          <legend class="field-label">{t(`newsletter.issue.${kind}`)}</legend>
          {found.map(({ value, name }) => (
            <label key={value} class="choice-line">
              <input type="checkbox" checked={entered.audiences.includes(value)} onChange={(event) => choose(value, event.currentTarget.checked)} />
              <span dir="auto">{name}</span>
            </label>
          ))}
        </fieldset>
      ))}
      {audienceProblem && <p class="field-problem" role="alert">{t("newsletter.issue.audience_problem")}</p>}
      <div class="newsletter-columns">
        <Field label={t("newsletter.issue.sender")} name="sender" error={error}>
          <input value={entered.sender} required onInput={(event) => write({ sender: event.currentTarget.value })} />
        </Field>
        <Field label={t("newsletter.issue.sender_name")} name="sender_name" error={error}>
          <input value={entered.senderName} required dir="auto" onInput={(event) => write({ senderName: event.currentTarget.value })} />
        </Field>
        <Field label={t("newsletter.issue.reply_to")} name="reply_to" error={error}>
          <input value={entered.replyTo} onInput={(event) => write({ replyTo: event.currentTarget.value })} />
        </Field>
      </div>
      {(looks?.length || entered.look) && (
        <Field label={t("newsletter.issue.look")} name="template_id" error={error}>
          <select value={entered.look} onChange={(event) => write({ look: event.currentTarget.value })}>
            <option value="">{t("newsletter.issue.look.standard")}</option>
            {entered.look && !looks?.some(({ template_id }) => template_id === entered.look) && <option value={entered.look}>{t(looks ? "newsletter.issue.look.removed" : "newsletter.issue.look.kept")}</option>}
            {looks?.map(({ template_id, name }) => (
              <option key={template_id} value={template_id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      )}
      <Field label={t("newsletter.issue.postal")} name="postal_address" error={error}>
        <input value={entered.postal} required dir="auto" onInput={(event) => write({ postal: event.currentTarget.value })} />
      </Field>
      <Field label={t("newsletter.issue.permission")} name="permission_line" error={error}>
        <input value={entered.permission} required dir="auto" placeholder={t("newsletter.issue.permission_example")} onInput={(event) => write({ permission: event.currentTarget.value })} />
      </Field>
      <Choices legend={t("newsletter.issue.consent")} name="newsletter-consent" values={["recorded", "attested"] as const} textOf={(one) => t(`newsletter.issue.consent.${one}`)} chosen={entered.consent} onChoose={(consent) => write({ consent })} />
      {entered.consent === "attested" && (
        <Field label={t("newsletter.issue.statement")} name="consent_statement" error={error}>
          <textarea rows={2} value={entered.statement} dir="auto" onInput={(event) => write({ statement: event.currentTarget.value })} />
        </Field>
      )}
      {error && <ErrorNotice error={error} onRetry={() => void create.run()} fields={[...FIELDS, ...(audienceProblem?.field ? [audienceProblem.field] : [])]} />}
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={create.busy}>
          {t("newsletter.issue.create")}
        </Button>
      </div>
    </form>
  );
}
