/**
 * Returns the absolute URL that a text is, or `null`. `URL.canParse` is not used: in Node 20 and 22 it takes a host with an
 * umlaut for malformed once it was called some thousand times.
 */
export function urlOf(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
