/** Clauses that one cause breaks: what somebody mends at once is told once. */
import { textOf } from '../contract/clauses';
import type { Verdict } from '../contract/result';
import type { Exchange } from '../evidence/exchange';
import { disclosesSettings, statusOf } from '../evidence/outcome';
import type { Breach } from './finding';
import { HARM, harmOf } from './harm';
import type { Judgement } from './verdict';

/** One thing to mend. */
export interface Cause {
  /** Its clauses in the order of the contract, failures before warnings. The first is told in full. */
  clauses: string[];
  /** What came, as the first of its clauses says it. */
  reason: string;
  /** Entry of the evidence that shows it best; `null` where no exchange does. */
  telling: number | null;
}

const TOLD: readonly Verdict[] = ['fail', 'warn'];

/**
 * The causes of what failed, the most harmful first, then of what is only worth a warning.
 *
 * Two clauses have one cause if requests without a valid key got the same kind of answer, or if what the one rests on
 * holds what shows the other best, and both name the same header, the same member, or none.
 * @param judgements in the order of the contract
 */
export function causesOf(judgements: Iterable<Judgement>): Cause[] {
  const told = [...judgements].filter(({ verdict, breaches }) => TOLD.includes(verdict) && breaches.length > 0);
  const inOrder = TOLD.flatMap((verdict) => told.filter((judgement) => judgement.verdict === verdict));
  const groups: Judgement[][] = [];
  for (const judgement of inOrder) {
    const group = groups.find(([first]) => first !== undefined && haveOneCause(first, judgement));
    if (group) group.push(judgement);
    else groups.push([judgement]);
  }
  const harm = ([first]: Judgement[]) =>
    first?.breaches[0] ? harmOf(first.breaches[0], textOf(first.id).area) : HARM.other;
  const rank = (group: Judgement[]) => TOLD.indexOf(group[0]?.verdict ?? 'warn');
  groups.sort((a, b) => rank(a) - rank(b) || harm(b) - harm(a));
  return groups.map((group) => ({
    clauses: group.map(({ id }) => id),
    reason: group[0]?.reason ?? '',
    telling: group[0]?.breaches[0]?.exchanges.at(-1)?.index ?? null,
  }));
}

function haveOneCause(a: Judgement, b: Judgement): boolean {
  const [first, second] = [a.breaches[0], b.breaches[0]];
  if (!first || !second) return false;
  const [kindOfFirst, kindOfSecond] = [keylessAnswer(first), keylessAnswer(second)];
  if (kindOfFirst !== null || kindOfSecond !== null) return kindOfFirst === kindOfSecond;
  if (subjectOf(first.came) !== subjectOf(second.came)) return false;
  return holds(a, second) || holds(b, first);
}

/** What a request without a valid key got, as far as it tells one cause from another; `null` for any other request. */
function keylessAnswer({ exchanges, came }: Breach): string | null {
  const exchange = exchanges.at(-1);
  if (exchange?.account !== null || !exchange.response || subjectOf(came) !== null) return null;
  return `${statusOf(exchange)} ${disclosesSettings(exchange)} ${exchange.probe.group === 'every-path'}`;
}

function holds({ breaches }: Judgement, { exchanges }: Breach): boolean {
  const telling: Exchange | undefined = exchanges.at(-1);
  return telling !== undefined && breaches.some((breach) => breach.exchanges.includes(telling));
}

/** The first header or member of the settings that a sentence names. */
function subjectOf(came: string): string | null {
  const header = /\b(?:X-RateLimit-\w+|Retry-After|Cache-Control|Content-Type|WWW-Authenticate|Vary|Date)\b/i.exec(
    came,
  );
  const member = /(?:^|[\s`.])((?:auth|start|submission|updates)(?:\.[A-Za-z]+)+)/.exec(came);
  return header?.[0].toLowerCase() ?? member?.[1] ?? null;
}
