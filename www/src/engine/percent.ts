// Texts in addresses, whose characters may be written as percent and digits.

/** What a part of an address says; the part as it is if it has a percent sign that begins no character of UTF-8. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
