/** Which breach of a clause is told first: the one that does most harm. */

import { groupedBy } from '../common/grouped';
import { markersIn } from '../evidence/markers';
import type { Exchange } from '../evidence/model';
import { disclosesSettings, isAccepted, isWhole } from '../evidence/responder/classify';
import type { Breach } from './finding';

/** Ranks of harm, the worst one highest. */
export const HARM = { other: 0, answered: 1, letIn: 2, disclosed: 3 };

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
