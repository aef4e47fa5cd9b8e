/** Something the user can mend: shown as its message alone, never with a stack. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
    this.stack = message;
  }
}
