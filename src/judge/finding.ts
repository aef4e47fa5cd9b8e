/** A rule judges one clause: evidence in, finding out. Rules are pure. */
import { type Need, wordsOf } from '../catalogue/catalogue';
import { groupedBy } from '../common/text';
import type { Flaw, Subject } from '../contract/result';
import type { Delivery, Evidence, Exchange } from '../evidence/model';
import { disclosesSettings, isWhole, statusOf } from '../evidence/responder/classify';

/** One occasion on which a clause was broken: what was wrong, and what proves it. */
export interface Breach extends Flaw {
  /** The exchanges that prove it. A message shows the last one. */
  exchanges: Exchange[];
  /** The deliveries that prove it. A message shows the first one. */
  deliveries?: Delivery[];
}

export interface Finding {
  breaches: Breach[];
  /** Entries of the evidence that were judged. */
  evidence: number[];
  /** Why nothing could be judged, as a sentence that a person can act on; `null` if something was judged. */
  notTested: string | null;
  /** Whether a declaration or an option makes it testable. */
  isUndeclared?: true;
  /** What this server never did, although the run provoked it as often as on every server. */
  inapplicable?: string;
  /** Breaches that are only a warning, even of a MUST. */
  warnings?: Breach[];
}

/** How one clause is judged. */
export interface Rule {
  /** The groups of probes whose exchanges it judges. */
  needs: readonly Need[];
  /** Set if a pass speaks about every request of the groups that it needs. */
  ofEveryRequest?: true;
  /** Clauses that must hold first, the outermost first. Where nothing could be judged, the innermost broken one is named. */
  dependsOn?: readonly string[];
  /** Set if the clause speaks about a limit that is kept: without one there is nothing to judge. */
  ofAKeptLimit?: true;
  /**
   * Pure: the same evidence gives the same finding.
   * @param served the exchanges while the server served: without outages, accidents and bans
   * @param everything the whole run, if that is more
   */
  judge(served: Evidence, everything?: Evidence): Finding;
}

/** Rules by the ids of their clauses. */
export type Rules = Readonly<Record<string, Rule>>;

/** Why nothing was judged, as a sentence that a person can act on; `declare` if a declaration or an option helps. */
export type Reason = string | { declare: string };

/** The finding of a clause that could not be judged. */
export function notTested(reason: Reason): Finding {
  const finding = { breaches: [], evidence: [] };
  if (typeof reason === 'string') return { ...finding, notTested: reason };
  return { ...finding, notTested: reason.declare, isUndeclared: true };
}

/** The finding that a server never does what the clause speaks of. @param exchanges those that would have provoked it */
export function inapplicable(exchanges: readonly Exchange[], reason: string): Finding {
  return { ...judged(exchanges, []), inapplicable: reason };
}

/**
 * Returns a finding without breaches as not tested, if something kept the run from seeing all; any other unchanged.
 * @param why what kept it; `null` if nothing did
 * @param shown the exchanges that show it, if these are not the judged ones
 */
export function notTestedWhen(finding: Finding, why: Reason | null, shown?: readonly Exchange[]): Finding {
  if (why === null || finding.breaches.length > 0) return finding;
  return { ...notTested(why), evidence: shown?.map(({ index }) => index) ?? finding.evidence };
}

/** The finding on entries of the evidence. */
export function judged(entries: ReadonlyArray<Exchange | Delivery>, breaches: Breach[]): Finding {
  return { breaches, evidence: [...new Set(entries.map(({ index }) => index))], notTested: null };
}

/** What is wrong with something; `null` if nothing is. */
export type Flaws = Flaw | Flaw[] | null;

/** Judges each whole exchange; transport.complete judges broken ones. @param none why nothing is judged without any */
export function each(exchanges: readonly Exchange[], none: string, check: (exchange: Exchange) => Flaws): Finding {
  const whole = exchanges.filter(isWhole);
  if (whole.length === 0) return notTested(exchanges.length > 0 ? BROKEN : none);
  return judged(whole, breachesIn(whole, check));
}

/** A breach for each flaw of each exchange. */
export function breachesIn(exchanges: readonly Exchange[], check: (exchange: Exchange) => Flaws): Breach[] {
  return exchanges.flatMap((exchange) =>
    [check(exchange) ?? []].flat().map((flaw) => ({ ...flaw, exchanges: [exchange] })),
  );
}

/** The headers, in lower case, and members that some breaches shown by an exchange are about. */
export function fieldsIn(breaches: readonly Breach[], exchange: Exchange | undefined): ReadonlySet<string> {
  const shown = breaches.filter(({ exchanges }) => exchanges.at(-1) === exchange);
  return new Set(shown.flatMap((breach) => fieldOf(breach) ?? []));
}

/** The header, in lower case, or the member that a breach is about; `null` if it is about neither. */
export function fieldOf({ subject: { kind, name } }: Breach): string | null {
  return kind === 'header' ? name.toLowerCase() : kind === 'member' ? name : null;
}

/**
 * Returns a flaw.
 * @param name of a header, of a member (its path below `webhook`, else from the top), of an account; of a request, how it
 * was asked, such as `without a key`; of a notification, its kind and account or its request line
 * @param got what came, or what is absent
 */
export function flawIn(kind: Subject['kind'], name: string, got: string, expected: string): Flaw {
  return { subject: { kind, name }, expected, got };
}

/** Returns a flaw of the answer to a probe. @param got what came, if it is more than the status and the settings */
export function requestFlaw(exchange: Exchange, expected: string, got = answerOf(exchange)): Flaw {
  return flawIn('request', wordsOf(exchange.probe), got, expected);
}

function answerOf(exchange: Exchange): string {
  return `${statusOf(exchange)}${disclosesSettings(exchange) ? ' with the settings' : ''}`;
}

/** Returns a flaw of an answer as a whole. */
export function answerFlaw(got: string, expected: string): Flaw {
  return flawIn('answer', 'the answer', got, expected);
}

/** Why nothing was judged if every answer is broken. */
export const BROKEN = 'no answer to this arrived whole: fix transport.complete first';

const MOST_GROUPS = 3;

const NAMELESS: ReadonlySet<Subject['kind']> = new Set(['answer', 'server']);

/** Returns what came, as a sentence without a full stop: `200 with the settings without a key`. */
export function sentenceOf({ subject: { kind, name }, got }: Flaw): string {
  if (kind === 'request') return `${got} ${name}`;
  return NAMELESS.has(kind) ? got : `${name}: ${got}`;
}

/** Returns the reason of a broken clause: `500 without a key (and 3 more like it).` @param breaches the worst first */
export function reasonOf(breaches: readonly Breach[]): string {
  const alike = [...groupedBy(breaches, likenessOf).values()];
  // The same sentence twice, of a 200 and of a 429, tells nobody why it stands there twice.
  const bySentence = groupedBy(alike, ([first]) => (first ? sentenceOf(first) : ''));
  const groups = [...bySentence.values()].map((same) => same.flat()).slice(0, MOST_GROUPS);
  const others = breaches.length - groups.flat().length;
  const texts = groups.flatMap(([first, ...more]) =>
    first ? `${sentenceOf(first)}${more.length > 0 ? ` (and ${more.length} more like it)` : ''}` : [],
  );
  const text = `${[...texts, ...(others > 0 ? [`and ${others} more`] : [])].join('; ')}.`;
  // A name keeps its case at the beginning of a sentence.
  const [first] = breaches;
  return text.startsWith(`${first?.subject.name}: `) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a text that is the same for breaches that one sentence can stand for. */
function likenessOf({ subject: { kind, name }, exchanges }: Breach): string {
  const last = exchanges.at(-1);
  if (kind === 'header' || kind === 'member') return `${kind} ${name}`;
  return `${kind} ${last && answerOf(last)}`;
}
