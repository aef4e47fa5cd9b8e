/** Memory that an entry takes besides its text, counted in characters. */
const ENTRY = 256;

/** Remembers the values of texts, because servers repeat themselves. Once it is full, it forgets everything. */
export class Remembered<Value> {
  private readonly values = new Map<string, Value>();
  private characters = 0;

  /** @param lengthOf how many characters a value counts for; by default, those of its text */
  constructor(
    private readonly mostCharacters: number,
    private readonly lengthOf: (text: string, value: Value) => number = ({ length }) => length,
  ) {}

  /** Returns what `work` makes of a text. For the same text it must always be the same. */
  of(text: string, work: (text: string) => Value): Value {
    if (this.values.has(text)) return this.values.get(text) as Value;
    const value = work(text);
    const length = this.lengthOf(text, value);
    if (this.characters + length + ENTRY > this.mostCharacters) this.forget();
    if (length > this.mostCharacters) return value;
    this.characters += length + ENTRY;
    this.values.set(text, value);
    return value;
  }

  forget(): void {
    this.values.clear();
    this.characters = 0;
  }
}
