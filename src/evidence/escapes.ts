/** Escapes of JSON, URLs and HTML, undone: what a text says, whichever way it says it. */

/** What HTML writes with a name. */
export const NAMED: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
/** What JSON writes with one letter after a backslash. */
export const SHORT: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
};
const ESCAPES =
  /\\u([0-9a-fA-F]{4})|%([0-9a-fA-F]{2})|\\(["\\/bfnrt])|&#(?:[xX]([0-9a-fA-F]{1,6})|(\d{1,7}));|&(amp|lt|gt|quot|apos);/g;

/** Latin1 text that holds UTF-8 bytes, with the escapes of JSON, URLs and HTML undone. */
function unescaped(text: string): string {
  return text.replace(
    ESCAPES,
    (_, json?: string, percent?: string, short?: string, hex?: string, decimal?: string, named?: string) => {
      if (percent) return String.fromCharCode(Number.parseInt(percent, 16));
      if (short) return keyOf(SHORT, short);
      if (named) return keyOf(NAMED, named);
      const code = json ? Number.parseInt(json, 16) : hex ? Number.parseInt(hex, 16) : Number(decimal);
      // Half of a surrogate pair stands for nothing by itself: those are left to the exact search.
      return code > 0x10ffff ? '' : Buffer.from(String.fromCodePoint(code), 'utf8').toString('latin1');
    },
  );
}

function keyOf(escapes: Record<string, string>, written: string): string {
  return Object.keys(escapes).find((character) => escapes[character] === written) ?? '';
}

/** What a text says once its escapes are undone, then the escapes in that, and in that: JSON in a URL, a URL in JSON. */
export function layersOf(text: string): string[] {
  const once = unescaped(text);
  if (once === text) return [text];
  const twice = unescaped(once);
  return [once, twice, unescaped(twice)];
}
