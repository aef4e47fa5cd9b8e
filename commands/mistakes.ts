/** Mistakes that the practice server can make: `--break CLAUSE`. Each breaks one clause, and is easy to see. */
import { type Bend, problem } from '../src/reference/behaviour';

export const MISTAKES: Readonly<Record<string, Bend>> = {
  'settings.password-null': {
    name: 'password-masked',
    bend: ({ document }) => ({
      document: (account, call) => {
        const shown = structuredClone(document(account, call)) as {
          webhook: { auth: { basic: { password: unknown } } };
        };
        shown.webhook.auth.basic.password = '********';
        return shown;
      },
    }),
  },
  'rate.reset-format': {
    name: 'reset-in-milliseconds',
    bend: () => ({ reset: ({ resetAtMs }) => String(Math.ceil(resetAtMs)) }),
  },
  'auth.rejection-401-403': {
    name: 'rejected-with-404',
    bend: () => ({ rejection: () => problem(404, 'not_found', 'Nothing here.') }),
  },
};
