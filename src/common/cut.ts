/** Returns at most `length` characters of a text. A text that is cut ends with `…`. */
export function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
