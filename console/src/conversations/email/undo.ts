// How a status of an e-mail thread is undone. Pure.

export interface StatusChange {
  status: "active" | "completed";
  expected_seq: number; // the API refuses the undo after a later change or mail
}

// The change that leads back to *before* from the state with *seq*. None leads from a completed or active thread to a
// waiting or archived one: null.
export function undoOf(before: string, seq: number): StatusChange | null {
  return before === "active" || before === "completed" ? { status: before, expected_seq: seq } : null;
}
