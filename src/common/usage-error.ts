import { visible } from './visible';

/** An error that the user can fix. It shows its message alone, without a stack. */
export class UsageError extends Error {
  constructor(message: string) {
    super(visible(message));
    this.name = 'UsageError';
    this.stack = this.message;
  }
}
