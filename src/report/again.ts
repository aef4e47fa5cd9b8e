/** The command that shows a breach again, where one request cannot. */
import type { Exchange } from '../evidence/exchange';
import type { Need } from '../evidence/probe';
import { ruleOf } from '../judge/rules';

/** What is sent in groups, in a certain order or at a certain pace, or comes without being asked for. */
const MANY: ReadonlySet<Need> = new Set([
  'session',
  'together',
  'sequence',
  'concurrent',
  'recovery',
  'paths',
  'events',
]);

/**
 * The command that sends all that a clause needs, and nothing else.
 * @param telling the exchange that shows the breach best
 * @returns `null` where that exchange, sent again by itself, shows it
 */
export function commandFor(id: string, telling: Exchange | undefined): string | null {
  const isShownByOne = telling?.probe.group === 'read' || !ruleOf(id).needs.some((need) => MANY.has(need));
  // With the space no longer id matches.
  return isShownByOne ? null : `npx playwright test -g '${id} '`;
}
