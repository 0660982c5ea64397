// A version of the settings tries a step of a newsletter: its search, its outline, or a section. The newsletter stays as it is.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import { useApp } from "../../app";
import { keepScenario, setsOfNewsletters } from "../../operations/versions/setSources";
import { ofNewsletters } from "../../operations/versions/sources";
import { Trace } from "../../operations/versions/Trace";
import { VersionField, answerOf } from "../../operations/versions/VersionField";
import { liveOf, useVersions } from "../../operations/versions/Versions";
import { named, t } from "../../texts/texts";
import { Badge, Button, ErrorNotice, Field } from "../../ui/controls";
import { showToast } from "../../ui/toastList";
import { failureText, type Newsletter } from "../source";
import { scenarioOfStep, type Tried } from "./tried";

const STEPS = ["topics", "outline", "section"] as const;
const MOST = 100;
const FIELDS = ["version", "code", "step", "section"];

export function StepPlayground() {
  const { client } = useApp();
  const versions = useVersions(ofNewsletters(client));
  const [chosen, setChosen] = useState<number | null>(null);
  const [code, setCode] = useState("");
  const [step, setStep] = useState<(typeof STEPS)[number]>("topics");
  const [section, setSection] = useState("");
  const [tried, setTried] = useState<{ newsletter: Newsletter; section: string; result: Tried } | null>(null);
  const list = useResource(async (signal) => (await client.call("GET /newsletters", { query: { of: "company", limit: MOST }, signal })).result.newsletters, [client]);
  const found = useResource(async (signal) => (code ? (await client.call("GET /newsletters/{code}", { path: { code }, signal })).result : null), [client, code]);
  const sections = found.value?.outline.sections ?? [];
  const version = chosen ?? liveOf(versions);
  const ask = useAction(async () => {
    if (!found.value) return;
    const body = { step, code, version, section: step === "section" ? section || sections[0]?.id || null : null };
    const { result } = await client.call("POST /newsletters/settings/playground", { body });
    setTried({ newsletter: found.value, section: body.section ?? "", result });
  });
  const keep = useAction(async () => {
    if (!tried) return;
    await keepScenario(setsOfNewsletters(client), scenarioOfStep(tried.newsletter, tried.result, tried.section, new Date().toISOString()));
    showToast(t("sets.kept"));
  });
  return (
    <section class="ops-section" aria-label={t("newsletter.try.title")}>
      <h2>{t("newsletter.try.title")}</h2>
      <p class="quiet">{t("newsletter.try.about")}</p>
      <form
        class="ops-editor"
        aria-label={t("newsletter.try.title")}
        onSubmit={(event) => {
          event.preventDefault();
          void ask.run();
        }}
      >
        {(list.error ?? found.error) && <ErrorNotice error={(list.error ?? found.error)!} />}
        {ask.error && <ErrorNotice error={ask.error} fields={FIELDS} />}
        {versions.items.length > 0 && <VersionField name="version" version={version} versions={versions.items} error={ask.error} onChoose={setChosen} />}
        <Field label={t("newsletter.try.newsletter")} name="code" error={ask.error}>
          <select value={code} onChange={(event) => setCode(event.currentTarget.value)}>
            <option value="">{t("newsletter.try.choose")}</option>
            {(list.value ?? []).map((one) => (
              <option key={one.code} value={one.code}>
                {`${one.title} (${one.code})`}
              </option>
            ))}
          </select>
        </Field>
        <Field label={t("newsletter.try.step")} name="step" error={ask.error}>
          <select value={step} onChange={(event) => setStep(event.currentTarget.value as typeof step)}>
            {STEPS.map((one) => (
              <option key={one} value={one}>
                {t(`newsletter.try.step.${one}`)}
              </option>
            ))}
          </select>
        </Field>
        {step === "section" && (
          <Field label={t("newsletter.try.section")} name="section" error={ask.error}>
            <select value={section} onChange={(event) => setSection(event.currentTarget.value)}>
              {sections.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.name}
                </option>
              ))}
            </select>
          </Field>
        )}
        <div class="ops-editor-end">
          <Button type="submit" kind="primary" busy={ask.busy} disabled={!found.value || (step === "section" && sections.length === 0)}>
            {t("newsletter.try.ask")}
          </Button>
        </div>
      </form>
      <div aria-live="polite">{tried && <Made tried={tried.result} />}</div>
      {keep.error && <ErrorNotice error={keep.error} />}
      {tried?.result.text != null && (
        <Button busy={keep.busy} onClick={() => void keep.run()}>
          {t("playground.keep")}
        </Button>
      )}
    </section>
  );
}

function Made({ tried }: { tried: Tried }) {
  return (
    <ol class="playground">
      <li>
        <b>{answerOf(tried.version)}</b>
        {tried.failure && <p>{failureText(tried.failure, null)}</p>}
        {tried.text != null && <p dir="auto">{tried.text}</p>}
        {tried.findings.map((one, position) => (
          <p key={position} dir="auto">
            <Badge kind={one.severity === "note" ? "plain" : "warn"}>{named("newsletter.warning", one.code)}</Badge> {one.text}
          </p>
        ))}
        {tried.repairs > 0 && <p class="quiet">{t("newsletter.try.repairs", { n: tried.repairs })}</p>}
        <p class="quiet">{t("newsletter.try.passages", { n: tried.passages.length })}</p>
        <Trace tried={tried}>
          {tried.queries.map((one) => (
            <p key={one.type} dir="auto">{`${one.type}: ${one.query} → ${one.hits}`}</p>
          ))}
          {tried.passages.map((one) => (
            <p key={one.chunk_id} dir="auto">{[one.title || one.chunk_id, one.date, one.score, one.cited && t("playground.cited")].filter(Boolean).join(" · ")}</p>
          ))}
        </Trace>
      </li>
    </ol>
  );
}
