/** Which breach of a clause is told first: the one that does most harm. */

import { groupedBy } from '../common/grouped';
import { markersIn } from '../evidence/markers';
import type { Exchange } from '../evidence/model';
import { disclosesSettings, isAccepted, isWhole } from '../evidence/responder/classify';
import type { Breach } from './finding';

/** Ranks of harm, the worst one highest. */
export const HARM = { other: 0, answered: 1, letIn: 2, disclosed: 3 };

/** So many groups of breaches are told in a reason. */
const MOST_GROUPS = 3;

/**
 * The harm of a breach: that of its worst exchange. A clause of the area `rate` speaks of what accounts are answered, so
 * there an exchange without a valid key tells least.
 */
export function harmOf({ exchanges }: Breach, id: string): number {
  const telling = exchanges.filter(({ account }) => account !== null || !id.startsWith('rate.'));
  return Math.max(HARM.other, ...telling.map(harmOfExchange));
}

/** An accepted request with a valid key discloses nothing: its caller may read the settings. */
function harmOfExchange(exchange: Exchange): number {
  const isKeyless = exchange.account === null;
  const mayRead = !isKeyless && isAccepted(exchange);
  if (!mayRead && (disclosesSettings(exchange) || (isKeyless && holdsSecret(exchange)))) return HARM.disclosed;
  if (isKeyless && isAccepted(exchange)) return HARM.letIn;
  return isWhole(exchange) ? HARM.answered : HARM.other;
}

function holdsSecret({ response }: Exchange): boolean {
  return markersIn(response?.body ?? '').some(({ kind }) => kind === 'password' || kind === 'receiverKey');
}

/** Breaches by harm, the worst first. Breaches of the same harm keep their order. */
export function worstFirst(breaches: readonly Breach[], id: string): Breach[] {
  const groups = groupedBy(breaches, (breach) => harmOf(breach, id));
  return [...groups].sort(([a], [b]) => b - a).flatMap(([, alike]) => alike);
}

/**
 * What came, in words, such as `200 with the settings to an empty apiKey header; 500 without a key (and 3 more like it)`.
 * Breaches that begin with the same status are one group, and so are those that begin with none.
 */
export function cameInGroups(breaches: readonly Breach[]): string {
  const all = breaches.map(({ came }) => came);
  const groups = groupedBy(all, (came) => /^\d{3}\b(?: with the settings)?/.exec(came)?.[0] ?? '');
  const told = [...groups.values()].slice(0, MOST_GROUPS);
  const untold = breaches.length - told.flat().length;
  const texts = told.map(([came, ...more]) => (more.length > 0 ? `${came} (and ${more.length} more like it)` : came));
  return [...texts, ...(untold > 0 ? [`and ${untold} more`] : [])].join('; ');
}
