// The review of a text by a colleague: asked for with a note, approved or returned with comments.

import { useApp, useSession } from "../../app";
import { Time } from "../../operations/sections";
import { actor } from "../../texts/format";
import { named, t } from "../../texts/texts";
import { Badge, Button, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { useChange } from "../changes";
import type { StepProps } from "../NewsletterPage";
import { stepName, stored } from "../source";

const LONGEST = 1_000;

export function Review(props: StepProps) {
  const { newsletter, isOwn } = props;
  const { metadata, draft } = newsletter;
  const { review } = metadata;
  const isAsked = review?.state === "requested";
  return (
    <section class="ops-section" aria-label={stepName("review")}>
      <h2>{stepName("review")}</h2>
      <p class="quiet">{t("newsletter.review.about")}</p>
      {!draft.is_usable && <p class="notice">{t("newsletter.first", { step: stepName("draft") })}</p>}
      {review && <Comments {...props} />}
      {draft.is_usable && isOwn && (!isAsked || review.is_outdated) && <Ask {...props} />}
      {draft.is_usable && isAsked && <Decide {...props} />}
    </section>
  );
}

function Comments({ newsletter: { metadata } }: StepProps) {
  const me = useSession().person?.principal ?? null;
  const review = metadata.review!;
  return (
    <>
      <p role="status">
        <Badge kind={review.state === "returned" ? "warn" : "info"}>{named("newsletter.review", review.state)}</Badge>
      </p>
      {review.is_outdated && <p class="notice notice-warn">{t("newsletter.review.outdated")}</p>}
      <ol class="newsletter-comments" aria-label={t("newsletter.review.comments")}>
        <li>
          <p>
            <b>{actor(review.requested_by, me)}</b> <Time at={review.requested_at} />
          </p>
          <p dir="auto">{review.note || t("newsletter.review.no_note")}</p>
        </li>
        {review.decided_by && (
          <li>
            <p>
              <b>{actor(review.decided_by, me)}</b> <Time at={review.decided_at} />
            </p>
            <p dir="auto">{review.decision_notes || t("newsletter.review.no_note")}</p>
          </li>
        )}
      </ol>
    </>
  );
}

function Ask({ newsletter: { metadata }, onChange }: StepProps) {
  const { client } = useApp();
  const code = metadata.newsletter_code;
  const note = useDraft(`newsletter review ${code}`);
  const ask = useChange(async () => {
    const body = { version: metadata.version, note: note.text };
    await client.call("POST /newsletters/{code}/review/request", { path: { code }, body, key: note.keyFor(body) });
    note.sent(note.text);
    stored();
    await onChange();
  });
  return (
    <form
      class="ops-editor newsletter-form"
      aria-label={t("newsletter.review.ask")}
      onSubmit={(event) => {
        event.preventDefault();
        void ask.run();
      }}
    >
      <Field label={t("newsletter.review.note")} name="note" error={ask.error}>
        <textarea rows={3} maxLength={LONGEST} value={note.text} dir="auto" onInput={(event) => note.write(event.currentTarget.value)} />
      </Field>
      {ask.error && <ErrorNotice error={ask.error} onRetry={() => void ask.run()} fields={["note"]} />}
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={ask.busy}>
          {t("newsletter.review.ask")}
        </Button>
      </div>
    </form>
  );
}

function Decide({ newsletter: { metadata }, onChange }: StepProps) {
  const { client } = useApp();
  const code = metadata.newsletter_code;
  const notes = useDraft(`newsletter decision ${code}`);
  const body = { version: metadata.version, notes: notes.text };
  const decided = async () => {
    notes.sent(notes.text);
    stored();
    await onChange();
  };
  const approve = useChange(async () => {
    await client.call("POST /newsletters/{code}/review/approve", { path: { code }, body });
    await decided();
  });
  const giveBack = useChange(async () => {
    await client.call("POST /newsletters/{code}/review/return", { path: { code }, body });
    await decided();
  });
  const error = approve.error ?? giveBack.error;
  return (
    <div class="ops-editor newsletter-form" role="group" aria-label={t("newsletter.review.decide")}>
      <Field label={t("newsletter.review.comments_field")} name="notes" error={error}>
        <textarea rows={4} maxLength={LONGEST} value={notes.text} dir="auto" onInput={(event) => notes.write(event.currentTarget.value)} />
      </Field>
      {error && <ErrorNotice error={error} fields={["notes"]} />}
      <div class="ops-editor-end">
        <Button
          busy={giveBack.busy}
          onClick={() => {
            approve.clear();
            void giveBack.run();
          }}
        >
          {t("newsletter.review.return")}
        </Button>
        <Button
          kind="primary"
          busy={approve.busy}
          onClick={() => {
            giveBack.clear();
            void approve.run();
          }}
        >
          {t("newsletter.review.approve")}
        </Button>
      </div>
    </div>
  );
}
