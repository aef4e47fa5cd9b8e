/** A text of at most so many characters. One that is longer ends with `…`. */
export function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
