// Why events are parked: what a person can do about each reason, and whether a replay may succeed then.

export type Advice = "register" | "setting" | "conflict" | "other_company" | "missing" | "version" | "limit" | "erased" | "defect";

const CODES: Record<Advice, readonly string[]> = {
  register: ["unknown_phone", "unknown_account", "unknown_mailbox", "unknown_address", "phone_disabled", "no_aws_phone"],
  setting: ["no_access_token", "token_not_owned", "configuration_invalid", "app_mismatch", "bad_address"],
  conflict: ["conflict", "message_id_reused"],
  other_company: [
    ...["ambiguous_phone", "ambiguous_order", "company_mismatch", "tenant_mismatch", "other_company"],
    ...["foreign_call", "foreign_group", "foreign_media", "foreign_order"],
  ],
  missing: [
    ...["unknown_reference", "unknown_message", "unknown_order", "unknown_media", "unknown_file", "not_found"],
    ...["no_target", "no_group", "no_customer", "no_sender", "no_receiver", "no_privacy_job", "no_export_job"],
    ...["conversation_gone", "claim_gone", "not_outbound", "not_a_file"],
  ],
  version: [
    ...["malformed", "malformed_event", "unreadable", "unknown_call_event", "unknown_status", "unknown_kind", "unknown_reaction"],
    ...["unsupported_event_version", "newer_event_version", "wrong_queue"],
  ],
  limit: ["too_large", "too_many_links", "too_many_participants"],
  erased: ["erased"],
  defect: ["internal_error", "other"],
};
const ADVICE = new Map(Object.entries(CODES).flatMap(([advice, codes]) => codes.map((code) => [code, advice as Advice] as const)));
// The stored item or the erasure decides in the same way again.
const FINAL: ReadonlySet<Advice> = new Set(["conflict", "erased"]);

export function adviceOf(reason: string | null | undefined): Advice | null {
  return (reason && ADVICE.get(reason.toLowerCase())) || null;
}

export function mayBeReplayed(reason: string | null | undefined, state: string): boolean {
  const advice = adviceOf(reason);
  return ["open", "replayed"].includes(state) && !(advice && FINAL.has(advice));
}
