// What a file of a published library is known by. SHA-256 proves that bytes are those that were published. Libraries of version 1
// named their files after XXH3-64, which finds damage, but anybody can make other bytes with the same sum.

/** What the engine does for this module. */
export interface Digesting {
  /** SHA-256, 64 hexadecimal digits. */
  sha256Of(bytes: Uint8Array): string;
  /** XXH3-64, 16 hexadecimal digits. */
  checksumOf(bytes: Uint8Array): string;
}

const SHA256_DIGITS = 64;
const XXH3_DIGITS = 16;

/** How many digits the names of files have in a library of a version. */
export function digitsOf(version: number): number {
  return version === 1 ? XXH3_DIGITS : SHA256_DIGITS;
}

/** Whether bytes are those that a digest stands for. */
export function isDigestOf(digest: string, bytes: Uint8Array, digesting: Digesting): boolean {
  return digest === (digest.length === SHA256_DIGITS ? digesting.sha256Of(bytes) : digesting.checksumOf(bytes));
}

/** SHA-256 of a text in UTF-8. */
export function digestOfText(text: string, { sha256Of }: Digesting): string {
  return sha256Of(new TextEncoder().encode(text));
}
