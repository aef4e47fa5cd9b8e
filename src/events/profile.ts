/** The event profile: what it registers with the core. */
import type { Evidence } from '../evidence/model';
import { mediaTypeOf, membersOf, type Observations } from '../judge/observations';
import type { Aside } from '../probes/schedule';
import { eventRules, timesEachCame } from './rules';

export const events = {
  rules: eventRules,

  observe(evidence: Evidence): Observations {
    const { deliveries } = evidence;
    return {
      'notification.method': deliveries.map(({ method }) => method),
      'notification.content-type': deliveries.map(mediaTypeOf),
      'notification.members': deliveries.flatMap(membersOf),
      'notification.headers': deliveries.flatMap(({ headers }) => headers.map(([name]) => name)),
      'notification.retries': timesEachCame(evidence),
    };
  },

  aside: {
    need: 'events',
    // Loaded only by a run that sends.
    open: (recorder) => (require('./triggers') as typeof import('./triggers')).openEvents(recorder),
  } satisfies Aside,
};
