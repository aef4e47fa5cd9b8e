/** Groups broken clauses by cause, so that one defect is told once. */
import type { Verdict } from '../contract/result';
import { disclosesSettings, isAccepted, statusOf } from '../evidence/responder/classify';
import { type Breach, fieldOf, fieldsIn } from './finding';
import { harmOf } from './severity';
import type { Judgement } from './verdict';

/** One thing to fix. */
export interface Cause {
  /** Its clauses in the order of the contract, failures before warnings. The first is told in full. */
  clauses: string[];
  /** What came, as the first of its clauses says it. */
  reason: string;
  /** Entry of the evidence that shows it best; `null` where no exchange does. */
  telling: number | null;
  /** The headers and members that are wrong in that entry, in lower case. */
  fields: ReadonlySet<string>;
}

const TOLD: readonly Verdict[] = ['fail', 'warn'];

/**
 * The causes of failures, the most harmful first, then those of warnings.
 *
 * Two clauses have one cause if both show the same kind of answer to requests without a valid key. They also have one if
 * the breaches of either include the exchange that shows the other best, and both reasons name the same header or
 * member. Where neither names any, that exchange must not be an accepted one.
 * @param judgements in the order of the contract
 */
export function causesOf(judgements: Iterable<Judgement>): Cause[] {
  const all = [...judgements];
  const groups: Group[] = [];
  for (const first of TOLD.flatMap((told) => all.filter(({ verdict }) => verdict === told))) {
    const [worst] = first.breaches;
    if (!worst) continue;
    const group = { clauses: [first.id], first, worst };
    const known = groups.find((other) => haveOneCause(other, group));
    if (known) known.clauses.push(first.id);
    else groups.push(group);
  }
  return TOLD.flatMap((told) =>
    groups
      .filter(({ first }) => first.verdict === told)
      .sort((a, b) => harmOf(b.worst, b.first.id) - harmOf(a.worst, a.first.id)),
  ).map(({ clauses, first, worst }) => ({
    clauses,
    reason: first.reason ?? '',
    telling: worst.exchanges.at(-1)?.index ?? null,
    fields: fieldsIn(first.breaches, worst.exchanges.at(-1)),
  }));
}

/** Clauses that one cause breaks: the first of them, and its worst breach. */
interface Group {
  clauses: string[];
  first: Judgement;
  worst: Breach;
}

function haveOneCause(a: Group, b: Group): boolean {
  const [kindOfA, kindOfB] = [keylessAnswer(a.worst), keylessAnswer(b.worst)];
  if (kindOfA !== null || kindOfB !== null) return kindOfA === kindOfB;
  const subject = fieldOf(a.worst);
  if (subject !== fieldOf(b.worst)) return false;
  // An accepted read shows all that is wrong with the settings and with the limit: that alone connects nothing.
  if (subject === null && [a, b].some(({ worst }) => worst.exchanges.slice(-1).some(isAccepted))) return false;
  return holds(a.first, b.worst) || holds(b.first, a.worst);
}

/** What a request without a valid key got, as far as it tells one cause from another; `null` for any other request. */
function keylessAnswer(breach: Breach): string | null {
  const exchange = breach.exchanges.at(-1);
  if (exchange?.account !== null || !exchange.response || fieldOf(breach) !== null) return null;
  return `${statusOf(exchange)} ${disclosesSettings(exchange)} ${exchange.probe.group === 'every-path'}`;
}

function holds({ breaches }: Judgement, { exchanges }: Breach): boolean {
  const telling = exchanges.at(-1);
  return breaches.some((breach) => breach.exchanges.some((exchange) => exchange === telling));
}
