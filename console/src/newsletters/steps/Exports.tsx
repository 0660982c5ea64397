// The files of a newsletter, and how two of them look: wide, on a phone, in dark colours.

import { useEffect, useState } from "preact/hooks";
import { useResource } from "../../api/resource";
import type { NewslettersApi } from "../../api/routes";
import { useApp } from "../../app";
import { count, Section, Table, Time } from "../../operations/sections";
import { named, t } from "../../texts/texts";
import { Badge, Button, ErrorNotice, Skeleton } from "../../ui/controls";
import { useChange } from "../changes";
import type { StepProps } from "../NewsletterPage";
import { failureText, stepName, type Newsletter } from "../source";

const FORMATS = ["email", "html", "pdf", "docx", "markdown", "text"] as const;
type Format = (typeof FORMATS)[number];
const SHOWN: readonly string[] = ["email", "html"];
const VIEWS = ["desktop", "phone"] as const;
const POLL_MS = 1_500;
const RUNNING = ["queued", "running"];

export function Exports({ newsletter, isOwn, onChange }: StepProps) {
  const { client } = useApp();
  const code = newsletter.metadata.newsletter_code;
  const [chosen, setChosen] = useState<Format[]>(["email", "text"]);
  const [isRunning, setRunning] = useState(false);
  const [preview, setPreview] = useState<Format | null>(null);
  const found = useResource(async (signal) => (await client.call("GET /newsletters/{code}/exports", { path: { code }, signal })).result, [client, code], isRunning ? POLL_MS : null);
  const running = found.value !== null && Object.values(found.value.jobs).some(({ state }) => RUNNING.includes(state));
  useEffect(() => {
    if (isRunning && found.value && !running) void onChange();
    setRunning(running);
  }, [running]);
  const start = useChange(async () => {
    await client.call("POST /newsletters/{code}/exports", { path: { code }, body: { formats: chosen } });
    await found.reload();
  });
  return (
    <Section title={stepName("exports")} about={t("newsletter.exports.about")} resource={found}>
      {({ exports, jobs, missing_characters }) => (
        <>
          {!newsletter.draft.is_usable && <p class="notice">{t("newsletter.first", { step: stepName("draft") })}</p>}
          {isOwn && newsletter.draft.is_usable && (
            <form
              class="ops-editor newsletter-form"
              aria-label={t("newsletter.exports.start")}
              onSubmit={(event) => {
                event.preventDefault();
                void start.run();
              }}
            >
              <fieldset class="newsletter-choices">
                <legend class="field-label">{t("newsletter.exports.formats")}</legend>
                {FORMATS.map((one) => (
                  <label key={one} class="choice-line">
                    <input type="checkbox" checked={chosen.includes(one)} onChange={(event) => setChosen(event.currentTarget.checked ? [...chosen, one] : chosen.filter((other) => other !== one))} />
                    <span>{named("newsletter.format", one)}</span>
                  </label>
                ))}
              </fieldset>
              {start.error && <ErrorNotice error={start.error} onRetry={() => void start.run()} />}
              <div class="ops-editor-end">
                <Button type="submit" kind="primary" busy={start.busy || running} disabled={!chosen.length}>
                  {t("newsletter.exports.start")}
                </Button>
              </div>
            </form>
          )}
          {missing_characters && <p class="notice notice-warn">{t("newsletter.exports.missing", { characters: missing_characters })}</p>}
          <Table
            label={stepName("exports")}
            rows={FORMATS.filter((one) => exports[one] || jobs[one])}
            keyOf={(one) => one}
            empty={t("newsletter.exports.none")}
            columns={[
              { name: t("newsletter.exports.format"), cell: (one) => named("newsletter.format", one) },
              { name: t("newsletter.state"), cell: (one) => <State file={exports[one]} job={jobs[one]} /> },
              { name: t("newsletter.exports.size"), isNumber: true, cell: (one) => (exports[one] ? t("newsletter.kilobytes", { size: count(Math.ceil(exports[one].file_size / 1024)) }) : "") },
              {
                name: t("newsletter.action"),
                cell: (one) =>
                  exports[one] && (
                    <>
                      {SHOWN.includes(one) && (
                        <Button kind="quiet" pressed={preview === one} onClick={() => setPreview(preview === one ? null : one)}>
                          {t("newsletter.exports.preview")}
                        </Button>
                      )}
                      <Download code={code} format={one} />
                    </>
                  ),
              },
            ]}
          />
          {preview && exports[preview] && <Preview key={preview + exports[preview].generated_at} newsletter={newsletter} format={preview} />}
        </>
      )}
    </Section>
  );
}

function State({ file, job }: { file: NewslettersApi.newsletters__api__views__ExportView | undefined; job: NewslettersApi.ProgressView | undefined }) {
  if (job && RUNNING.includes(job.state)) return <span role="status">{named("newsletter.doing", job.doing)}</span>;
  return (
    <>
      {job?.state === "failed" && <Badge kind="danger">{failureText(job.error_code, job.error)}</Badge>}
      {file && <Time at={file.generated_at} />} {file?.is_outdated && <Badge kind="warn">{t("newsletter.exports.outdated")}</Badge>}
      {file?.warnings.map((one) => (
        <Badge key={one} kind="warn">{named("newsletter.warning", one)}</Badge>
      ))}
    </>
  );
}

// The link is made when it is asked for: it ends after some minutes.
function Download({ code, format }: { code: string; format: Format }) {
  const { client } = useApp();
  const load = useChange(async () => {
    const { result } = await client.call("GET /newsletters/{code}/exports/{format}", { path: { code, format } });
    location.assign(result.url);
  });
  return (
    <>
      <Button kind="quiet" busy={load.busy} onClick={() => void load.run()}>
        {t("newsletter.exports.download")}
      </Button>
      {load.error && <ErrorNotice error={load.error} />}
    </>
  );
}

// The file itself, from where it is stored: in a frame without scripts, whose colours follow its scheme.
function Preview({ newsletter, format }: { newsletter: Newsletter; format: Format }) {
  const { client } = useApp();
  const [view, setView] = useState<(typeof VIEWS)[number]>("desktop");
  const [isDark, setDark] = useState(false);
  const code = newsletter.metadata.newsletter_code;
  const link = useResource(async (signal) => (await client.call("GET /newsletters/{code}/exports/{format}", { path: { code, format }, query: { inline: true }, signal })).result, [client, code, format]);
  return (
    <div class="newsletter-preview" role="group" aria-label={t("newsletter.exports.preview")}>
      <div class="ops-editor-end">
        {VIEWS.map((one) => (
          <Button key={one} kind="quiet" pressed={view === one} onClick={() => setView(one)}>
            {t(`newsletter.view.${one}`)}
          </Button>
        ))}
        <Button kind="quiet" pressed={isDark} onClick={() => setDark(!isDark)}>
          {t("newsletter.view.dark")}
        </Button>
      </div>
      {link.error && <ErrorNotice error={link.error} onRetry={() => void link.reload()} />}
      {link.value ? (
        <iframe key={String(isDark)} class={`newsletter-frame newsletter-${view} newsletter-${isDark ? "dark" : "light"}`} title={newsletter.metadata.title} src={link.value.url} sandbox="" referrerpolicy="no-referrer" />
      ) : (
        !link.error && <Skeleton rows={4} kind="row" />
      )}
    </div>
  );
}
