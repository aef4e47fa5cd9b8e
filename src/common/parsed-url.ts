/** Returns the absolute URL that a text is, or `null`. `URL.canParse` of Node 20 and 22 fails at times with umlauts. */
export function urlOf(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
