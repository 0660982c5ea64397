// The calls of a context for the trials of its versions, and what it compares of both.

import type { ComponentChildren } from "preact";
import type { ConversationsAdmin } from "../../../api/routes";
import { t, type Key } from "../../../texts/texts";
import { count } from "../../sections";
import { percentOf, type Begun } from "./trial";

export type Trial = ConversationsAdmin.TrialView; // both APIs have the same

// What both contexts count of a version.
export interface Counted {
  version: number;
  conversations: number;
  answers: number;
  handed_off: number;
  faulty?: number | null;
  dollars: string;
  ms?: number | null;
}

export interface Outcomes<Arm extends Counted> extends Trial {
  begun: number;
  failed: number;
  live: Arm;
  trial: Arm;
}

export type Row<Arm> = readonly [Key, (arm: Arm) => string];

// of: whose versions they are; another one is loaded anew.
export interface TrialSource<Arm extends Counted> {
  of: string;
  texts: { about: Key; another: Key; shadow: Key; share: Key };
  list: (signal: AbortSignal) => Promise<Trial[]>;
  show: (trialId: string, signal: AbortSignal) => Promise<Outcomes<Arm>>;
  begin: (body: Begun) => Promise<string>;
  stop: (trialId: string, withdraw: boolean) => Promise<unknown>;
  ofShare: Row<Arm>[];
  ofShadow: Row<Arm>[];
  answers: (trialId: string) => ComponentChildren; // in shadow, beside the live ones
}

export function share<Arm extends Counted>(name: Key, of: (arm: Arm) => number): Row<Arm> {
  return [name, (arm) => percentOf(of(arm), arm.conversations)];
}

export function ofAnswers<Arm extends Counted>(name: Key, of: (arm: Arm) => number | null | undefined): Row<Arm> {
  return [
    name,
    (arm) => {
      const part = of(arm);
      return typeof part === "number" ? percentOf(part, arm.answers) : t("ops.unknown");
    },
  ];
}

export const ANSWERS: Row<Counted> = ["trial.answers", (arm) => count(arm.answers)];
export const CONVERSATIONS: Row<Counted> = ["trial.conversations", (arm) => count(arm.conversations)];
export const FAULTY: Row<Counted> = ofAnswers("trial.faulty", (arm) => arm.faulty);
export const DOLLARS: Row<Counted> = ["trial.dollars", (arm) => `$${arm.dollars}`];
export const SECONDS: Row<Counted> = [
  "trial.seconds",
  (arm) => (typeof arm.ms !== "number" ? t("ops.unknown") : t("trial.in_seconds", { seconds: (arm.ms / 1000).toFixed(1) })),
];
