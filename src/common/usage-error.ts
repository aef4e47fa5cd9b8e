import { visible } from './visible';

/** An error that the user can fix. It is shown as its message alone, without a stack: names of files in it may be anybody's. */
export class UsageError extends Error {
  constructor(message: string) {
    super(visible(message));
    this.name = 'UsageError';
    this.stack = this.message;
  }
}
