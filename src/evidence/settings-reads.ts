/** Accepted reads of the webhook settings, and whose settings they hold. */
import { isMemberPath, MEMBERS, type MemberPath, pathOf, pathsIn } from '../contract/settings';
import { mayBeSame } from '../redaction/markers';
import { isObject, memberAt, parsed, settingsIn } from './http/json';
import { type AccountFacts, type Evidence, type Exchange, once } from './model';
import { letThrough } from './responder/classify';

/** Returns what the target file declares about an account; `undefined` if it has no such account. */
export function declaredOf(evidence: Evidence, account: string | null): AccountFacts | undefined {
  return evidence.target.accounts.find(({ name }) => name === account);
}

/** Returns the value at a path in the JSON of a response's body; `undefined` if there is none. */
export function bodyAt({ response }: Exchange, path: string): unknown {
  return memberAt(parsed(response), path);
}

/** Returns every accepted GET /webhooks of the run with a valid key. */
export function readsOf(evidence: Evidence): Exchange[] {
  const keyed = evidence.exchanges.filter(({ account }) => account !== null);
  const url = `${evidence.target.baseURL}/webhooks`;
  const reads = keyed.filter(({ request }) => request.method === 'GET' && request.url === url);
  return letThrough(reads, evidence);
}

/** The paths of all described members below `webhook`. */
export const DESCRIBED = Object.keys(MEMBERS).flatMap((path) => pathsIn(path as MemberPath));

/** Returns the described members of a settings document as a text to compare; `null` if no settings were served. */
export function describedOf(exchange: Exchange): string | null {
  const webhook = settingsIn(exchange.response);
  const textAt = (path: string) => {
    const value = memberAt(webhook, path);
    return isMemberPath(path) && isObject(value) ? 'an object' : JSON.stringify(value);
  };
  return webhook && DESCRIBED.map(textAt).join('\n');
}

/** Whether two settings documents hold the same described members, as far as markers show it. */
export function isSameSettings(one: Exchange, other: Exchange): boolean {
  const [lines = [], others = []] = [one, other].map((read) => describedOf(read)?.split('\n'));
  return lines.length === others.length && lines.every((line, i) => mayBeSame(line, others[i] ?? ''));
}

/** Returns the settings that most reads of an account hold. A read that agrees with what is declared outweighs all others. */
export function usualSettings(evidence: Evidence, account: string): string | null {
  const counts = new Map<string, number>();
  const facts = declaredOf(evidence, account);
  for (const read of readsOf(evidence).filter((read) => read.account === account)) {
    const settings = describedOf(read);
    if (settings === null) continue;
    const weight = facts && contradicts(read, facts) ? 1 : 1000;
    counts.set(settings, (counts.get(settings) ?? 0) + weight);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}

/**
 * Reads that hold another account's settings. Such a read differs from the usual settings of its own account, or from what
 * is declared about it. And it equals the usual settings of the other account, or holds a text of that one alone.
 * @returns the account whose settings a read holds, by the index of its exchange
 */
export const foreignReads = once((evidence: Evidence): ReadonlyMap<number, string> => {
  const { accounts } = evidence.target;
  const usual = new Map(accounts.map((account) => [account.name, usualSettings(evidence, account.name)]));
  const foreign = new Map<number, string>();
  for (const read of readsOf(evidence)) {
    const settings = describedOf(read);
    const facts = declaredOf(evidence, read.account);
    if (settings === null || !facts) continue;
    const isUsual = settings === usual.get(facts.name);
    if (isUsual && !contradicts(read, facts)) continue;
    const wrong = textsAgainst(facts, read);
    const others = accounts.flatMap((other) => {
      // What contradicts the other account alone is not that one's.
      const isOthers = textsAgainst(other, read).every(({ path }) => wrong.some((text) => text.path === path));
      const isEqual = usual.get(other.name) === settings && (!isUsual || wrong.length > 0);
      const texts = wrong.filter(({ served }) => typeof served === 'string');
      const alike = texts.filter(({ path, served }) => served === memberAt(other.settings, path)).length;
      const isItsOwn = isOthers && (isEqual || alike > 0);
      const isMixed = !isUsual && holdsTextOf(other.name, settings, usual);
      return other !== facts && (isItsOwn || isMixed) ? [{ name: other.name, isEqual, alike }] : [];
    });
    // Equal settings prove more than single texts, such as a scheme that many accounts use.
    const [owner] = others.sort((a, b) => Number(b.isEqual) - Number(a.isEqual) || b.alike - a.alike);
    if (owner) foreign.set(read.index, owner.name);
  }
  return foreign;
});

/** Texts of this length, such as addresses, are no common values. */
const TELLING_TEXT = 12;

/** Whether settings hold a text that is usual for one account, and for no other. */
function holdsTextOf(account: string, settings: string, usual: ReadonlyMap<string, string | null>): boolean {
  const texts = settings.split('\n');
  const holds = (name: string, i: number) => usual.get(name)?.split('\n')[i] === texts[i];
  return texts.some(
    (text, i) =>
      text.startsWith('"') &&
      text.length >= TELLING_TEXT &&
      [...usual.keys()].every((name) => holds(name, i) === (name === account)),
  );
}

/** Returns the reads that hold their own account's settings. */
export function ownReads(evidence: Evidence): Exchange[] {
  const foreign = foreignReads(evidence);
  return readsOf(evidence).filter((read) => !foreign.has(read.index));
}

/**
 * Returns the texts by which a read contradicts what is declared about an account. A value that is no text may be wrong for
 * all accounts alike, and an absent one contradicts nobody.
 */
function textsAgainst({ settings }: AccountFacts, read: Exchange): Difference[] {
  return differences(settings ?? {}, settingsIn(read.response)).filter(
    ({ declared, served }) => typeof (declared ?? served) === 'string' && served !== undefined,
  );
}

function contradicts(read: Exchange, facts: AccountFacts): boolean {
  return facts.settings !== undefined && differences(facts.settings, settingsIn(read.response)).length > 0;
}

interface Difference {
  path: string;
  declared: unknown;
  served: unknown;
  /** Whether the object that should hold the member is there, and the member is not. */
  isAbsent: boolean;
}

/** Returns the declared members that are absent or have another value; of an absent object none of its members. */
export function differences(declared: unknown, served: unknown, path = '', isAbsent = false): Difference[] {
  if (isObject(declared) && !isAbsent) {
    const isMissing = (member: string) => isObject(served) && !Object.hasOwn(served, member);
    return Object.entries(declared).flatMap(([member, inner]) => {
      const value = isObject(served) && !isMissing(member) ? served[member] : undefined;
      return differences(inner, value, pathOf(path, member), isMissing(member));
    });
  }
  return JSON.stringify(declared) === JSON.stringify(served) ? [] : [{ path, declared, served, isAbsent }];
}
