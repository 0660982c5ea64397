// Trials of the versions of a project.

import type { Client } from "../../../api/client";
import type { ConversationsAdmin } from "../../../api/routes";
import { t } from "../../../texts/texts";
import { count } from "../../sections";
import { ShadowAnswers } from "./ShadowAnswers";
import { ANSWERS, CONVERSATIONS, DOLLARS, FAULTY, ofAnswers, SECONDS, share, type Row, type TrialSource } from "./source";

type Arm = ConversationsAdmin.ArmView;

const OF_SHARE: Row<Arm>[] = [
  CONVERSATIONS,
  share("trial.handed_off", (arm) => arm.handed_off),
  share("trial.ended_alone", (arm) => arm.ended_alone),
  share("trial.ended_with_people", (arm) => arm.ended_with_people),
  share("trial.reopened", (arm) => arm.reopened_soon),
  share("trial.opted_out", (arm) => arm.opted_out),
  ["trial.rated", (arm) => `${count(arm.rated_up)} / ${count(arm.rated_down)}`],
  ["trial.satisfied", (arm) => satisfied(arm)],
];

const OF_SHADOW: Row<Arm>[] = [ANSWERS, ofAnswers("trial.handed_off", (arm) => arm.handed_off), ofAnswers("trial.opted_out", (arm) => arm.opted_out), FAULTY, SECONDS, DOLLARS];

function satisfied(arm: Arm): string {
  const scores = Object.entries(arm.scores ?? {});
  const all = scores.reduce((sum, [, times]) => sum + times, 0);
  if (!all) return t("ops.unknown");
  const sum = scores.reduce((found, [score, times]) => found + Number(score) * times, 0);
  return t("trial.average", { score: (sum / all).toFixed(1), answers: all });
}

export function trialsOfProject(client: Client, project_id: string): TrialSource<Arm> {
  const path = { project_id };
  return {
    of: `project ${project_id}`,
    texts: { about: "trial.about", another: "trial.open_another", shadow: "trial.shadow_effect", share: "trial.share_effect" },
    list: async (signal) => (await client.call("GET /projects/{project_id}/trials", { path, signal })).result.trials,
    show: async (trial_id, signal) => (await client.call("GET /projects/{project_id}/trials/{trial_id}", { path: { ...path, trial_id }, signal })).result,
    begin: async (body) => (await client.call("POST /projects/{project_id}/trials", { path, body, key: crypto.randomUUID() })).result.trial_id,
    stop: (trial_id, withdraw) =>
      client.call("POST /projects/{project_id}/trials/{trial_id}/stop", { path: { ...path, trial_id }, body: { withdraw }, key: crypto.randomUUID() }),
    ofShare: OF_SHARE,
    ofShadow: OF_SHADOW,
    answers: (trialId) => <ShadowAnswers projectId={project_id} trialId={trialId} />,
  };
}
