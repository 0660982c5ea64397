// Whether a project sends, and whether its model or people answer.

import { useState } from "preact/hooks";
import type { ConversationsAdmin } from "../../api/routes";
import { useApp } from "../../app";
import { t } from "../../texts/texts";
import { Badge, Button } from "../../ui/controls";
import { LiveChange, openOf } from "../switches/LiveChange";

type Project = ConversationsAdmin.ProjectView;
type Name = "sends" | "answers";

export function ProjectSwitches({ project, onChange }: { project: Project; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const [asked, setAsked] = useState<Name | null>(null);
  const isOn = { sends: project.status !== "inactive", answers: project.automation_enabled };
  const set = (name: Name, on: boolean) => {
    const body: ConversationsAdmin.SwitchesInput = name === "sends" ? { project_status: on ? "active" : "inactive" } : { automation_enabled: on };
    return client.call("POST /projects/{project_id}/switches", { path: { project_id: project.project_id }, body });
  };
  return (
    <section class="ops-editor" aria-label={t("project.switches")}>
      <h3>{t("project.switches")}</h3>
      <ul class="ops-list">
        {(["sends", "answers"] as const).map((name) => (
          <li key={name}>
            <Badge kind={isOn[name] ? "good" : "warn"}>{t(`project.${name}.${isOn[name]}`)}</Badge>{" "}
            <Button onClick={() => setAsked(name)}>{t(`project.set.${name}.${!isOn[name]}`)}</Button>
          </li>
        ))}
      </ul>
      {asked && (
        <LiveChange
          title={`${project.name ?? project.project_id}: ${t(`project.set.${asked}.${!isOn[asked]}`)}`}
          button={t(`project.set.${asked}.${!isOn[asked]}`)}
          from={t(`project.${asked}.${isOn[asked]}`)}
          to={t(`project.${asked}.${!isOn[asked]}`)}
          effect={t(`project.effect.${asked}.${!isOn[asked]}`)}
          affected={openOf(client, "conversations")}
          set={() => set(asked, !isOn[asked])}
          back={() => set(asked, isOn[asked])}
          done={t("project.is_set")}
          onClose={() => setAsked(null)}
          onChanged={onChange}
        />
      )}
    </section>
  );
}
