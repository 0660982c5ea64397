// Trials of the versions of a mailbox's settings.

import type { Client } from "../../../api/client";
import type { EmailThreadsApi } from "../../../api/routes";
import { count } from "../../sections";
import { ShadowDrafts } from "./ShadowDrafts";
import { ANSWERS, CONVERSATIONS, DOLLARS, FAULTY, ofAnswers, SECONDS, type Row, type TrialSource } from "./source";
import { percentOf } from "./trial";

type Arm = EmailThreadsApi.DraftArmView;

const DRAFTS: Row<Arm>[] = [
  ANSWERS,
  ofAnswers("trial.handed_off", (arm) => arm.handed_off),
  ["trial.drafts_sent", (arm) => count(arm.sent)],
  ["trial.corrected", (arm) => percentOf(arm.corrected, arm.sent)],
  ["trial.edits", (arm) => percentOf(arm.edits, arm.words)],
  ofAnswers("trial.discarded", (arm) => arm.discarded),
];

export function trialsOfMailbox(client: Client, address: string): TrialSource<Arm> {
  const path = { address };
  return {
    of: `mailbox ${address}`,
    texts: { about: "trial.mail.about", another: "trial.mail.choose_another", shadow: "trial.mail.shadow_effect", share: "trial.mail.share_effect" },
    list: async (signal) => (await client.call("GET /email-mailboxes/{address}/trials", { path, signal })).result.trials,
    show: async (trial_id, signal) => (await client.call("GET /email-mailboxes/{address}/trials/{trial_id}", { path: { ...path, trial_id }, signal })).result,
    begin: async (body) => (await client.call("POST /email-mailboxes/{address}/trials", { path, body, key: crypto.randomUUID() })).result.trial_id,
    stop: (trial_id, withdraw) =>
      client.call("POST /email-mailboxes/{address}/trials/{trial_id}/stop", { path: { ...path, trial_id }, body: { withdraw }, key: crypto.randomUUID() }),
    ofShare: [CONVERSATIONS, ...DRAFTS, DOLLARS],
    ofShadow: [...DRAFTS, FAULTY, SECONDS, DOLLARS],
    answers: (trialId) => <ShadowDrafts address={address} trialId={trialId} />,
  };
}
