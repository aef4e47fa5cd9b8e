/** A rule judges one clause: evidence in, finding out. Rules are pure. */
import type { Need } from '../catalogue/catalogue';
import { groupedBy } from '../common/text';
import type { Flaw, Subject } from '../contract/result';
import type { Delivery, Evidence, Exchange, RecordedResponse } from '../evidence/model';
import { disclosesSettings, isWhole, statusOf } from '../evidence/responder/classify';
import { withoutMarkers } from '../redaction/markers';

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
  /** Why nothing could be judged, as a sentence that a person can act on; `null` where something was judged. */
  notTested: string | null;
  /** Whether a declaration or an option makes it testable. */
  isUndeclared?: true;
  /** What this server never did, although the run provoked it as often as on every server: the clause has no subject here. */
  inapplicable?: string;
  /** Breaches that are only a warning, even of a MUST. */
  warnings?: Breach[];
}

/** How one clause is judged. */
export interface Rule {
  /** The groups of probes whose exchanges it judges. */
  needs: readonly Need[];
  /** Set where a pass says something of every request of the groups that it needs. */
  ofEveryRequest?: true;
  /** Clauses about what holds its subject, the outermost first. Where it finds none, the innermost broken one is named. */
  dependsOn?: readonly string[];
  /** Set where it speaks of a limit that is kept: where none is, there is nothing to judge. */
  ofAKeptLimit?: true;
  /**
   * Pure: the same evidence gives the same finding.
   * @param served what came while the server served: without outages, accidents and bans
   * @param everything the whole run, where that is more
   */
  judge(served: Evidence, everything?: Evidence): Finding;
}

/** Rules by the ids of their clauses. */
export type Rules = Readonly<Record<string, Rule>>;

/** Why nothing was judged, as a sentence that a person can act on; `declare` where a declaration or an option helps. */
export type Reason = string | { declare: string };

/** A finding without a judgement. */
export function notTested(reason: Reason): Finding {
  const finding = { breaches: [], evidence: [] };
  if (typeof reason === 'string') return { ...finding, notTested: reason };
  return { ...finding, notTested: reason.declare, isUndeclared: true };
}

/** A finding that the server never does what the clause speaks of. @param exchanges what would have provoked it */
export function inapplicable(exchanges: readonly Exchange[], reason: string): Finding {
  return { ...judged(exchanges, []), inapplicable: reason };
}

/**
 * The finding, unless it has no breach and something kept the run from seeing more: then it is not tested.
 * @param why `null` where nothing kept it
 * @param shown what shows it, where that is not what was judged
 */
export function notTestedWhen(finding: Finding, why: Reason | null, shown?: readonly Exchange[]): Finding {
  if (why === null || finding.breaches.length > 0) return finding;
  return { ...notTested(why), evidence: shown?.map(({ index }) => index) ?? finding.evidence };
}

/** A finding on entries of the evidence, with what broke the clause. */
export function judged(entries: ReadonlyArray<Exchange | Delivery>, breaches: Breach[]): Finding {
  return { breaches, evidence: [...new Set(entries.map(({ index }) => index))], notTested: null };
}

/** What is wrong with something; `null` where nothing is. */
export type Flaws = Flaw | Flaw[] | null;

/** Judges each exchange; broken ones are left to transport.complete. @param none why nothing is judged without any */
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

/** The headers and members that breaches are about, in lower case, where an exchange shows them. */
export function fieldsIn(breaches: readonly Breach[], exchange: Exchange | undefined): ReadonlySet<string> {
  const shown = breaches.filter(({ exchanges }) => exchanges.at(-1) === exchange);
  return new Set(shown.flatMap((breach) => fieldOf(breach) ?? []));
}

/** The header or member that a breach is about, in lower case; `null` where it is about neither. */
export function fieldOf({ subject: { kind, name } }: Breach): string | null {
  return kind === 'header' || kind === 'member' ? name.toLowerCase() : null;
}

/**
 * What is wrong with something.
 * @param name of a header, of a member (its path below `webhook`, else from the top), of an account; of a request, how it
 * was asked, such as `without a key`; of a notification, its kind and account or its request line
 * @param got what came, or where something is absent
 */
export function flawIn(kind: Subject['kind'], name: string, got: string, expected: string): Flaw {
  return { subject: { kind, name }, expected, got };
}

/** What is wrong with an answer as a whole. */
export function answerFlaw(got: string, expected: string): Flaw {
  return flawIn('answer', 'the answer', got, expected);
}

/**
 * The first place of a response, header lines first, that holds what no response may; `null` where none does.
 * @param heldIn what a text holds of it, in words, or `null`
 * @param body the body as far as it is looked into
 */
export function flawAnywhere(
  { headers, aside = [], statusText }: RecordedResponse,
  body: string,
  heldIn: (text: string) => string | null,
  expected: string,
): Flaw | null {
  for (const [name, value] of [...headers, ...aside]) {
    const held = heldIn(`${name}\n${value}`);
    if (held !== null) return flawIn('header', withoutMarkers(name), held, expected);
  }
  for (const [where, text] of Object.entries({ 'status line': statusText, body })) {
    const held = heldIn(text);
    if (held !== null) return answerFlaw(`${held} in the ${where}`, expected);
  }
  return null;
}

/** Why nothing was judged, where every answer is broken. */
export const BROKEN = 'no answer to this arrived whole: fix transport.complete first';

const MOST_GROUPS = 3;

/** Of these, what came is reported without a name. */
const NAMELESS: ReadonlySet<Subject['kind']> = new Set(['answer', 'server']);

/** What came, as a sentence without a full stop: `200 with the settings without a key`. */
export function sentenceOf({ subject: { kind, name }, got }: Flaw): string {
  if (kind === 'request') return `${got} ${name}`;
  return NAMELESS.has(kind) ? got : `${name}: ${got}`;
}

/** The reason of a broken clause: `500 without a key (and 3 more like it).` @param breaches the worst first */
export function reasonOf(breaches: readonly Breach[]): string {
  const groups = [...groupedBy(breaches, likenessOf).values()].slice(0, MOST_GROUPS);
  const others = breaches.length - groups.flat().length;
  const texts = groups.flatMap(([first, ...more]) =>
    first ? `${sentenceOf(first)}${more.length > 0 ? ` (and ${more.length} more like it)` : ''}` : [],
  );
  const text = `${[...texts, ...(others > 0 ? [`and ${others} more`] : [])].join('; ')}.`;
  // A name keeps its case at the beginning of a sentence.
  const [first] = breaches;
  return first && NAMELESS.has(first.subject.kind) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** Breaches that one sentence can stand for: about one header or member, or answered alike. */
function likenessOf({ subject: { kind, name }, exchanges }: Breach): string {
  const telling = exchanges.at(-1);
  if (kind === 'header' || kind === 'member') return `${kind} ${name}`;
  return `${kind} ${telling && statusOf(telling)} ${telling && disclosesSettings(telling)}`;
}
