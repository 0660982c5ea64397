// Whether two handles name the same contact: numbers by their digits, addresses without regard to case.

export function isSameHandle(one: string | null | undefined, other: string): boolean {
  return one != null && plain(one) === plain(other);
}

function plain(handle: string): string {
  return /^\+?\d+$/.test(handle) ? handle.replace(/^\+/, "") : handle.toLowerCase();
}
