/** An error that the user can fix. It is shown as its message alone, without a stack. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
    this.stack = message;
  }
}
