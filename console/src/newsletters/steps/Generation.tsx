// Has a step generated: asks before it replaces something, shows the progress, and why it failed.

import { useEffect, useRef, useState } from "preact/hooks";
import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import { Confirm } from "../../operations/sections";
import { named, t } from "../../texts/texts";
import { Button, ErrorNotice } from "../../ui/controls";
import { useChange } from "../changes";
import { failureText, stepName, type Newsletter, type Step } from "../source";

const POLL_MS = 1_500;
const PROCESSING = "processing";
const ABOVE: Record<Step, Step | null> = { topics: null, outline: "topics", draft: "outline" };
// The API refuses a start without the consent to these.
const ASKS = ["upstream_stale", "has_user_edits"];

interface Props {
  newsletter: Newsletter;
  step: Step;
  isOwn: boolean;
  onChange: () => Promise<void>;
}

export function Generation({ newsletter, step, isOwn, onChange }: Props) {
  const { client } = useApp();
  const [isAsked, setAsked] = useState(false);
  const code = newsletter.metadata.newsletter_code;
  const state = newsletter[step];
  const above = ABOVE[step];
  const start = async (consents: boolean) => {
    const body = consents ? { accept_stale: true, replace_edits: true } : {};
    await client.call("POST /newsletters/{code}/{step}/start", { path: { code, step }, body });
    await onChange();
  };
  const first = useChange(async () => start(false));
  const again = useChange(async () => start(true));
  const replaces = newsletter.draft.has_user_edits && step === "draft";
  if (state.status === PROCESSING) return <Progress code={code} step={step} isOwn={isOwn} onEnd={onChange} />;
  const isReady = step === "topics" ? newsletter.topics.selected_types.length > 0 : newsletter[above!].is_usable;
  const refused = first.error && ASKS.includes(first.error.code);
  return (
    <div class="newsletter-generation">
      {state.status === "failed" && <p class="notice notice-error">{failureText(state.error_code, state.error)}</p>}
      {state.is_stale && state.is_usable && <p class="notice notice-warn">{t("newsletter.stale")}</p>}
      {above && !isReady && <p class="notice">{t("newsletter.first", { step: stepName(above) })}</p>}
      {isOwn && (
        <div class="ops-editor-end">
          <Button kind={state.is_usable ? "plain" : "primary"} busy={first.busy} disabled={!isReady} onClick={() => (replaces || (above && newsletter[above].is_stale) ? setAsked(true) : void first.run())}>
            {t(state.is_usable ? `newsletter.again.${step}` : `newsletter.generate.${step}`)}
          </Button>
        </div>
      )}
      {first.error && !refused && <ErrorNotice error={first.error} />}
      {(isAsked || refused) && (
        <Confirm
          title={t(`newsletter.again.${step}`)}
          action={again}
          button={t(`newsletter.generate.${step}`)}
          onClose={() => {
            setAsked(false);
            first.clear();
          }}
          onDone={() => setAsked(false)}
        >
          <p>{t(replaces || first.error?.code === "has_user_edits" ? "newsletter.replaces_edits" : "newsletter.from_stale")}</p>
        </Confirm>
      )}
    </div>
  );
}

function Progress({ code, step, isOwn, onEnd }: { code: string; step: Step; isOwn: boolean; onEnd: () => Promise<void> }) {
  const { client } = useApp();
  const path = { code, step };
  const found = useResource(async (signal) => (await client.call("GET /newsletters/{code}/{step}/status", { path, signal })).result, [client, code, step], POLL_MS);
  const cancel = useChange(async () => {
    await client.call("POST /newsletters/{code}/{step}/cancel", { path });
    await onEnd();
  });
  const isOver = found.value !== null && found.value.status !== PROCESSING;
  const ended = useRef(false);
  useEffect(() => {
    if (!isOver || ended.current) return;
    ended.current = true;
    void onEnd();
  }, [isOver]);
  const job = found.value?.job;
  return (
    <div class="newsletter-generation" role="status">
      <p>
        <progress max={100} value={job?.percent ?? 0} aria-label={t("newsletter.progress")} /> {job ? t("newsletter.doing", { doing: named("newsletter.doing", job.doing), percent: job.percent }) : t("state.loading")}
      </p>
      {found.error && <ErrorNotice error={found.error} onRetry={() => void found.reload()} />}
      {cancel.error && <ErrorNotice error={cancel.error} />}
      {isOwn && (
        <div class="ops-editor-end">
          <Button busy={cancel.busy} onClick={() => void cancel.run()}>
            {t("newsletter.stop")}
          </Button>
        </div>
      )}
    </div>
  );
}
