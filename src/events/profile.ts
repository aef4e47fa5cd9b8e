/** The event profile: what it registers with the core. */
import type { Evidence } from '../evidence/model';
import { mediaTypeOf, membersOf, type Observations } from '../judge/observations';
import type { Aside } from '../probes/schedule';
import { arrivalRules } from './arrival-rules';
import { credentialRules } from './credential-rules';
import { watchedIn } from './deliveries';
import { openEvents } from './triggers';

export const events = {
  rules: { ...arrivalRules, ...credentialRules },

  observe(evidence: Evidence): Observations {
    const { deliveries } = evidence;
    const watched = watchedIn(evidence);
    const times = 'whyNot' in watched ? [] : watched.expected.map(({ own }) => own.length);
    return {
      'notification.method': deliveries.map(({ method }) => method),
      'notification.content-type': deliveries.map(mediaTypeOf),
      'notification.members': deliveries.flatMap(membersOf),
      'notification.headers': deliveries.flatMap(({ headers }) => headers.map(([name]) => name)),
      'notification.retries': times.filter((count) => count > 0),
    };
  },

  aside: { need: 'events', open: openEvents } satisfies Aside,
};
