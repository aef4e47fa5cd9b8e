/** An entry takes the memory of so many characters, besides its text. */
const ENTRY = 256;

/** Remembers the values of texts, up to so many characters; then it begins anew. Servers repeat themselves. */
export class Remembered<Value> {
  private readonly values = new Map<string, Value>();
  private characters = 0;

  constructor(private readonly mostCharacters: number) {}

  /** What `work` makes of a text, which always is the same. */
  of(text: string, work: (text: string) => Value): Value {
    if (this.values.has(text)) return this.values.get(text) as Value;
    const value = work(text);
    if (this.characters + text.length + ENTRY > this.mostCharacters) this.forget();
    if (text.length > this.mostCharacters) return value;
    this.characters += text.length + ENTRY;
    this.values.set(text, value);
    return value;
  }

  forget(): void {
    this.values.clear();
    this.characters = 0;
  }
}
