// The texts of automatic replies of the help desk: editor, preview, versions.

import { useState } from "preact/hooks";
import { useResource } from "../../../api/resource";
import { useApp } from "../../../app";
import { t } from "../../../texts/texts";
import { Badge } from "../../../ui/controls";
import { Section } from "../../sections";
import { ownWording } from "./settings";
import { TemplateEditor } from "./TemplateEditor";
import { SetsOfVersions } from "../../versions/Sets";
import { setsOfHelpDesk } from "../../versions/setSources";
import { ofHelpDesk } from "../../versions/sources";
import { VersionList } from "../../versions/Versions";
import { TicketPlayground } from "./TicketPlayground";

const LANGUAGES = ["en", "es", "fr", "de", "it", "pt", "pl", "sv", "nl"];

const OF_ALL = ["first_name", "support_signature"]; // variables of every template

export function Templates() {
  const { client } = useApp();
  const [chosen, setChosen] = useState<string | null>(null);
  const [language, setLanguage] = useState("en");
  const loaded = useResource(
    async (signal) => {
      const [templates, settings] = await Promise.all([
        client.call("GET /admin/richpanel/templates", { signal }),
        client.call("GET /admin/richpanel/settings", { signal }),
      ]);
      return { templates: templates.result.templates, settings: settings.result };
    },
    [client],
  );
  return (
    <Section title={t("ops.part.templates")} about={t("ops.templates.about")} resource={loaded}>
      {({ templates, settings }) => {
        const names = Object.keys(templates).sort();
        const name = chosen ?? names[0];
        const template = name === undefined ? undefined : templates[name];
        if (name === undefined || template === undefined) return <p class="ops-empty">{t("ops.nothing")}</p>;
        return (
          <>
            <div class="ops-choose">
              <label class="field">
                <span class="field-label">{t("ops.template")}</span>
                <select value={name} onChange={(event) => setChosen(event.currentTarget.value)}>
                  {names.map((one) => (
                    <option key={one}>{one}</option>
                  ))}
                </select>
              </label>
              <label class="field">
                <span class="field-label">{t("ops.language")}</span>
                <select value={language} onChange={(event) => setLanguage(event.currentTarget.value)}>
                  {LANGUAGES.map((one) => (
                    <option key={one}>{one}</option>
                  ))}
                </select>
              </label>
              <p>
                <Badge kind={ownWording(settings, name, language) ? "info" : "plain"}>
                  {t(ownWording(settings, name, language) ? "ops.template.own" : "ops.template.standard")}
                </Badge>{" "}
                {template.tier == null && <Badge>{t("ops.template.agents")}</Badge>}
              </p>
            </div>
            <p class="quiet">{t("ops.template.variables", { list: [...template.required, ...template.optional, ...OF_ALL].join(", ") })}</p>
            <TemplateEditor
              key={`${name}:${language}`}
              name={name}
              language={language}
              template={template}
              settings={settings}
              onStored={() => loaded.reload()}
            />
            <VersionList key={settings.number} source={ofHelpDesk(client, settings.number)} about={t("project.versions_about")} effect={t("versions.help_desk")} onChange={() => void loaded.reload()} />
            <TicketPlayground key={`try ${settings.number}`} inForce={settings.number} />
            <SetsOfVersions key={`sets ${settings.number}`} source={setsOfHelpDesk(client)} versions={ofHelpDesk(client, settings.number)} about={t("sets.ticket_about")} />
          </>
        );
      }}
    </Section>
  );
}
