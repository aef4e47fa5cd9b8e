/**
 * Makes text from the server safe to show in a page or in a terminal: control characters become their Unicode
 * pictures, marks that change the direction of writing become code points.
 */
export function visible(text: string): string {
  return (
    text
      .replace(/\r\n?/g, '\n')
      .replace(/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`)
      .replace(/\p{Cs}|[\ufffe\uffff]/gu, '\ufffd')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      .replace(/[\x00-\x08\x0b-\x1f]/g, (control) => String.fromCharCode(0x2400 + control.charCodeAt(0)))
      .replace(/[\x7f-\x9f]/g, '\u2421')
  );
}
