/** Groups broken clauses by cause, so that one defect is reported once. */
import { clauseTexts } from '../contract/clauses';
import type { Verdict } from '../contract/result';
import { disclosesSettings, isAccepted, statusOf } from '../evidence/responder/classify';
import { type Breach, fieldOf, fieldsIn } from './finding';
import { harmOf, type Judgement } from './verdict';

/** One thing to fix. */
export interface Cause {
  /** Its clauses in the order of the contract, failures before warnings. The first is reported in full. */
  clauses: string[];
  /** What came, as the first of its clauses says it. */
  reason: string;
  /** Entry of the evidence that shows it best; `null` where no exchange does. */
  telling: number | null;
  /** The headers and members that are wrong in that entry, in lower case. */
  fields: ReadonlySet<string>;
  harm: number;
}

/** The causes of what the clauses of a run found. @param judgements by the ids of their clauses, in any order */
export function causesIn(judgements: ReadonlyMap<string, Judgement>): Cause[] {
  return causesOf(clauseTexts.flatMap(({ id }) => judgements.get(id) ?? []));
}

const BROKEN: readonly Verdict[] = ['fail', 'warn'];

/**
 * The causes of failures, the most harmful first, then those of warnings.
 *
 * Two clauses have one cause if both show the same kind of answer to requests without a valid key, or that more is
 * accepted than the rate allows, or if what shows one best is reported of the other in the same words. They also have one if
 * the breaches of either include the exchange that shows the other best, and both are about the same header or member.
 * Where neither is about any, that exchange must not be an accepted one.
 * @param judgements in the order of the contract
 */
export function causesOf(judgements: Iterable<Judgement>): Cause[] {
  const all = [...judgements];
  const groups: Group[] = [];
  for (const first of BROKEN.flatMap((broken) => all.filter(({ verdict }) => verdict === broken))) {
    const [worst] = first.breaches;
    if (!worst) continue;
    const group = { clauses: [first.id], first, worst };
    const known = groups.find((other) => haveOneCause(other, group));
    if (known) known.clauses.push(first.id);
    else groups.push(group);
  }
  const rank = ({ first }: Group) => BROKEN.indexOf(first.verdict);
  const harm = ({ first, worst }: Group) => harmOf(worst, first.id);
  groups.sort((a, b) => rank(a) - rank(b) || harm(b) - harm(a));
  return groups.map(({ clauses, first, worst }) => ({
    clauses,
    reason: first.reason ?? '',
    telling: worst.exchanges.at(-1)?.index ?? null,
    fields: fieldsIn(first.breaches, worst.exchanges.at(-1)),
    harm: harmOf(worst, first.id),
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
  if (isOverRate(a.worst) && isOverRate(b.worst)) return true;
  if (says(a.first, b.worst) || says(b.first, a.worst)) return true;
  const subject = fieldOf(a.worst);
  if (subject !== fieldOf(b.worst)) return false;
  // An accepted read shows all that is wrong with the settings and with the limit: that alone connects nothing.
  if (subject === null && [a, b].some(({ worst }) => worst.exchanges.slice(-1).some(isAccepted))) return false;
  return holds(a.first, b.worst) || holds(b.first, a.worst);
}

function says({ breaches }: Judgement, { subject, got }: Breach): boolean {
  return breaches.some(
    (breach) => breach.subject.kind === subject.kind && breach.subject.name === subject.name && breach.got === got,
  );
}

/** Whether a breach shows requests that were accepted over the rate. */
function isOverRate({ subject, exchanges }: Breach): boolean {
  return subject.kind === 'limit' && exchanges.length > 0 && exchanges.every(isAccepted);
}

/** What a request without a valid key got, as far as it tells one cause from another; `null` for any other request. */
function keylessAnswer(breach: Breach): string | null {
  const exchange = breach.exchanges.at(-1);
  if (exchange?.account !== null || !exchange.response || fieldOf(breach) !== null) return null;
  if (isAccepted(exchange)) return 'let in';
  return `${statusOf(exchange)} ${disclosesSettings(exchange)} ${exchange.probe.group === 'every-path'}`;
}

function holds({ breaches }: Judgement, { exchanges }: Breach): boolean {
  const telling = exchanges.at(-1);
  return breaches.some((breach) => breach.exchanges.some((exchange) => exchange === telling));
}
