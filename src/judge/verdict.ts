/** From findings to the verdicts of clauses, profiles and runs; and the causes of broken clauses, the most harmful first. */
import { cut, groupedBy } from '../common/text';
import { clauseText, clauseTexts } from '../contract/clauses';
import type { ClauseResult, Conformance, Found, RunVerdict, Verdict } from '../contract/result';
import { type Evidence, type Exchange, secretsIn } from '../evidence/model';
import { disclosesSettings, isAccepted, isWhole, statusOf } from '../evidence/responder/classify';
import { type Breach, type Finding, fieldOf, reasonOf } from './finding';

/** How many characters of a server's text a finding shows, and how many findings of a clause are reported. */
const LONGEST_TEXT = 500;
const MOST_FOUND = 100;

/** The result of a clause, with its breaches. */
export interface Judgement extends ClauseResult {
  /** Failures before warnings, and the worst first. */
  breaches: Breach[];
  /** One sentence about a waiver that waives nothing, because its clause passes or its last day is over. */
  note: string | null;
}

/** Judges a clause by its finding and its waiver. @param today `YYYY-MM-DD`; a waiver still holds on its last day */
export function judgementOf(id: string, finding: Finding, evidence: Evidence, today: string): Judgement {
  const { level, section, statement } = clauseText(id);
  const breaches = [...worstFirst(finding.breaches, id), ...worstFirst(finding.warnings ?? [], id)].map(quotable);
  const waiver = evidence.target.waivers.find(({ clause }) => clause === id);
  const base = { id, level, section, statement, breaches };
  if (breaches.length === 0) {
    const { notTested, inapplicable = null } = finding;
    const why = notTested ?? inapplicable;
    return {
      ...base,
      verdict: notTested !== null ? 'not-tested' : inapplicable !== null ? 'inapplicable' : 'pass',
      reason: why && sentence(why),
      evidence: unique(finding.evidence),
      finding: null,
      untested: notTested === null ? null : finding.isUndeclared ? 'undeclared' : 'unseen',
      note: why === null && waiver ? `The waiver of ${id} is stale: the clause passes.` : null,
    };
  }
  const seen = reasonOf(breaches);
  const waives = waiver !== undefined && (waiver.until === undefined || today <= waiver.until);
  const until = waiver?.until ? ` until ${waiver.until}` : '';
  return {
    ...base,
    verdict: waives ? 'waived' : level === 'must' && finding.breaches.length > 0 ? 'fail' : 'warn',
    reason: waives ? `${seen} Waived${until}: ${waiver.reason}` : seen,
    evidence: entriesOf(breaches),
    finding: foundIn(breaches),
    untested: null,
    note: waiver && !waives ? `The waiver of ${id} ended on ${waiver.until} and waives nothing any more.` : null,
  };
}

/**
 * Returns a breach fit to be reported: its texts are cut. The exchange shown, which is the last one, has the described
 * spelling of the header if one was answered alike.
 */
function quotable(breach: Breach): Breach {
  const { subject, expected, got, exchanges } = breach;
  const last = exchanges.at(-1);
  const isAlike = (other: Exchange) =>
    last?.account === other.account && other.account !== null && statusOf(last) === statusOf(other);
  const plain = exchanges.filter(
    (other) => isAlike(other) && other.request.headers.some(([name]) => name === 'apiKey'),
  );
  const quoted = (text: string) => cut(text, LONGEST_TEXT);
  return {
    ...breach,
    exchanges: [...exchanges, ...plain.slice(-1)],
    subject: { ...subject, name: quoted(subject.name) },
    expected: quoted(expected),
    got: quoted(got),
  };
}

/** The breaches of a clause, for machines. Those in the same words are reported once. */
function foundIn(breaches: readonly Breach[]): Found[] {
  const alike = groupedBy(breaches, ({ subject, expected, got }) => JSON.stringify([subject, expected, got]));
  return [...alike.values()].slice(0, MOST_FOUND).flatMap((same) => {
    const evidence = entriesOf(same);
    return same.slice(0, 1).map(({ subject, expected, got }) => ({ subject, expected, got, evidence }));
  });
}

/** Returns a text with a full stop and a capital letter, unless it begins with a name such as `apiKey`. */
function sentence(text: string): string {
  const whole = /[.:!?]$/.test(text) ? text : `${text}.`;
  return whole.replace(/^[a-z](?=[a-z]*[ ,;'])/, (first) => first.toUpperCase());
}

function entriesOf(breaches: readonly Breach[]): number[] {
  const shown = breaches.flatMap(({ exchanges, deliveries = [] }) => [...exchanges, ...deliveries]);
  return unique(shown.map(({ index }) => index));
}

function unique(entries: number[]): number[] {
  return [...new Set(entries)].sort((a, b) => a - b);
}

/** Returns the MUST clauses of the core profile that have one of some verdicts. */
export function coreMusts(clauses: readonly ClauseResult[], ...verdicts: Verdict[]): ClauseResult[] {
  return clauses.filter(
    ({ id, level, verdict }) => level === 'must' && verdicts.includes(verdict) && clauseText(id).profile === 'core',
  );
}

/** Returns the verdict of a run. @param error why the run could not be done */
export function runVerdictOf(clauses: readonly ClauseResult[], error: string | null): RunVerdict {
  if (error !== null) return 'error';
  if (clauses.some((clause) => clause.level === 'must' && clause.verdict === 'fail')) return 'non-conformant';
  return coreMusts(clauses, 'not-tested', 'waived').length > 0 ? 'incomplete' : 'conformant';
}

/** Returns the verdict of a profile, which rests on its MUST clauses. */
export function profileVerdictOf(clauses: readonly ClauseResult[]): Conformance['profiles']['core'] {
  const musts = clauses.filter((clause) => clause.level === 'must');
  if (musts.some((clause) => clause.verdict === 'fail')) return 'fail';
  return musts.every((clause) => clause.verdict === 'not-tested') ? 'not-tested' : 'pass';
}

/** Ranks of harm, the worst highest. */
export const HARM = { other: 0, answered: 1, letIn: 2, disclosed: 3 };

/** Returns the harm of a breach: that of its worst exchange. Rate clauses are about valid keys alone. */
export function harmOf({ exchanges }: Breach, id: string): number {
  const counted = exchanges.filter(({ account }) => account !== null || !id.startsWith('rate.'));
  return Math.max(HARM.other, ...counted.map(harmOfExchange));
}

/** An accepted request with a valid key discloses nothing, because its caller may read the settings. */
function harmOfExchange(exchange: Exchange): number {
  const isKeyless = exchange.account === null;
  const mayRead = !isKeyless && isAccepted(exchange);
  const isSecret = ({ kind }: { kind: string }) => kind === 'password' || kind === 'receiverKey';
  const discloses = disclosesSettings(exchange) || (isKeyless && secretsIn(exchange).some(isSecret));
  if (discloses && !mayRead) return HARM.disclosed;
  if (isKeyless && isAccepted(exchange)) return HARM.letIn;
  return isWhole(exchange) ? HARM.answered : HARM.other;
}

/** Returns breaches by harm, the worst first. Those of the same harm keep their order. */
export function worstFirst(breaches: readonly Breach[], id: string): Breach[] {
  const groups = groupedBy(breaches, (breach) => harmOf(breach, id));
  return [...groups].sort(([a], [b]) => b - a).flatMap(([, alike]) => alike);
}

const BROKEN = ['fail', 'warn', 'waived'] as const;

/** One thing to act on: its first clause, which is reported in full, and all clauses that it breaks. */
export interface Cause extends Judgement {
  verdict: (typeof BROKEN)[number];
  reason: string;
  /** In the order of the contract, failures before warnings. */
  clauses: string[];
  harm: number;
}

/** Returns the causes of failures, the most harmful first, then warnings, then what is waived. */
export function causesIn(judgements: Iterable<Judgement>): Cause[] {
  const place = ({ id }: Judgement) => clauseTexts.findIndex((clause) => clause.id === id);
  const all = [...judgements].filter(({ breaches }) => breaches.length > 0).sort((a, b) => place(a) - place(b));
  const causes: Cause[] = [];
  for (const verdict of BROKEN)
    for (const first of all.filter((judgement) => judgement.verdict === verdict)) {
      const known = causes.find((other) => haveOneCause(other, first));
      const harm = harmOf(first.breaches[0] as Breach, first.id);
      if (known) known.clauses.push(first.id);
      else causes.push({ ...first, verdict, reason: first.reason ?? '', clauses: [first.id], harm });
    }
  const rank = ({ verdict }: Cause) => BROKEN.indexOf(verdict);
  return causes.sort((a, b) => rank(a) - rank(b) || b.harm - a.harm);
}

/** Whether one thing explains both: the same kind of answer, the same words, or the exchange that shows the other best. */
function haveOneCause(one: Judgement, other: Judgement): boolean {
  // A waiver is shown as such.
  if ((one.verdict === 'waived') !== (other.verdict === 'waived')) return false;
  const [a, b] = [one.breaches[0], other.breaches[0]] as [Breach, Breach];
  const [kindOfA, kindOfB] = [keylessAnswer(a), keylessAnswer(b)];
  if (kindOfA !== null || kindOfB !== null) return kindOfA === kindOfB;
  if (isOverRate(a) && isOverRate(b)) return true;
  if (reports(one, b) || reports(other, a)) return true;
  const subject = fieldOf(a);
  if (subject !== fieldOf(b)) return false;
  // An accepted read shows all that is wrong with the settings and with the limit: that alone connects nothing.
  if (subject === null && [a, b].some(({ exchanges }) => exchanges.slice(-1).some(isAccepted))) return false;
  return holds(one, b) || holds(other, a);
}

function reports({ breaches }: Judgement, { subject, got }: Breach): boolean {
  const { kind, name } = subject;
  return breaches.some((each) => each.subject.kind === kind && each.subject.name === name && each.got === got);
}

function isOverRate({ subject, exchanges }: Breach): boolean {
  return subject.kind === 'limit' && exchanges.length > 0 && exchanges.every(isAccepted);
}

/** The kind of answer to a request without a valid key; `null` for any other request. */
function keylessAnswer(breach: Breach): string | null {
  const exchange = breach.exchanges.at(-1);
  if (exchange?.account !== null || !exchange.response || breach.subject.kind !== 'request') return null;
  if (isAccepted(exchange)) return 'let in';
  return `${statusOf(exchange)} ${disclosesSettings(exchange)} ${exchange.probe.group === 'every-path'}`;
}

function holds({ breaches }: Judgement, { exchanges }: Breach): boolean {
  const shown = exchanges.at(-1);
  return breaches.some((breach) => breach.exchanges.some((exchange) => exchange === shown));
}
