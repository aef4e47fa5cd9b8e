/** Characters that the entry of a text takes as much memory as, besides its own. */
const ENTRY = 256;

/** What was worked out of texts, since servers repeat themselves: of so many characters; then it begins anew. */
export class Remembered<Value> {
  private readonly values = new Map<string, Value>();
  private characters = 0;

  constructor(private readonly mostCharacters: number) {}

  /** What `work` makes of a text, which always is the same. */
  of(text: string, work: (text: string) => Value): Value {
    const known = this.values.get(text);
    if (known !== undefined || this.values.has(text)) return known as Value;
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
