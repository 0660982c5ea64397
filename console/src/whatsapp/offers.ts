// What a provider offers to an account.

import { ApiError } from "../api/errors";
import type { Account } from "../campaigns/templates/accounts";

const ABSENT = ["not_configured", "not_supported"];

// null: the account has no token at Meta, which AWS End User Messaging cannot replace, or the provider has no such call.
export async function whereOffered<Result>(asked: Promise<Result>): Promise<Result | null> {
  try {
    return await asked;
  } catch (failure) {
    if (failure instanceof ApiError && ABSENT.includes(failure.code)) return null;
    throw failure;
  }
}

// Meta has configurations of payments for businesses with an Indian number only.
export function hasPayments({ numbers }: Account): boolean {
  return numbers.some(({ displayPhone }) => /^\+?91\d{10}$/.test(displayPhone));
}
