/** The first reads, each followed by requests without the key (API description, section 5); and the wait for a ban to end. */
import { type Need, type ProbeRequest, probe, requestOf, withoutKey } from '../catalogue/catalogue';
import { LITTLE_MS, longestHonestSeconds } from '../contract/bounds';
import { linesOf } from '../evidence/http/headers';
import type { Exchange } from '../evidence/model';
import { disclosesSettings, isAccepted, isWhole, shapeOf, statusOf } from '../evidence/responder/classify';
import { whileServing } from '../evidence/responder/failures';
import { bansOf } from '../evidence/responder/guards';
import { ONE_MOMENT_MS } from '../evidence/time/in-flight';
import { waitAskedMs, waitAskedSeconds } from '../evidence/time/server-clock';
import { lockedOut } from '../limiter/locked-out';
import type { Recorder } from '../recorder/recorder';
import { keysOf, read, type Spacing } from './requests';
import { isAnyLetIn, readDensely } from './why-refused';
import type { WrongKey } from './wrong-key-retries';

export interface FirstReads {
  /** The accounts whose key was accepted, in declared order. Only these are used later. */
  open: string[];
  /** The requests without a key that followed reads: over a read's connection, which stays open, and over another. */
  sessions: WrongKey[];
  /** Whether all requests get the same page, so that nothing else is sent. */
  isDead?: true;
}

/** Returns a request without a key and with the cookies of an accepted answer. */
export function sessionOf(accepted: Exchange, recorder: Recorder): ProbeRequest {
  const sentFor = probe('session', { account: accepted.account ?? '' });
  const cookies = () => recorder.cookiesOf(accepted);
  return requestOf(sentFor, { ...keysOf(recorder), cookies }) ?? withoutKey(sentFor);
}

/** At most so many answers with other cookies are tried. */
const MOST_SESSIONS = 3;

/** Returns the first answers to a valid key that set cookies of names which no first read and no earlier answer set. */
export function withOtherCookies({ exchanges }: Recorder): Exchange[] {
  const namesOf = ({ response }: Exchange) =>
    linesOf(response?.headers ?? [], 'Set-Cookie')
      .map((line) => line.split('=')[0])
      .join();
  const tried = new Set(['']);
  const others: Exchange[] = [];
  for (const each of exchanges.filter(({ account }) => account !== null)) {
    if (!tried.has(namesOf(each)) && each.probe.group !== 'read') others.push(each);
    tried.add(namesOf(each));
  }
  return others.slice(0, MOST_SESSIONS);
}

/**
 * Reads one account right after another, which shows a cache that ignores the key. If planned, each read but the first goes
 * over a connection on which a wrong key came before. After each read the same request goes without a key, over its
 * connection with its cookies, and over another one.
 */
export async function readFirst(
  recorder: Recorder,
  spacing: Spacing,
  planned: ReadonlySet<Need>,
  progress: (what: string) => void,
  afterFirst: () => Promise<void>,
): Promise<FirstReads> {
  const { accounts } = recorder.target;
  const names = accounts.map(({ name }) => name);
  const open = new Set<string>();
  const sessions: WrongKey[] = [];
  let asksWithoutKey = planned.has('session');
  /** @param failed the answer before, if the account is read again */
  const readOne = async (account: string, failed?: Exchange): Promise<Exchange | null> => {
    const via = recorder.connection();
    // If a connection cannot be opened, its exchange shows the fault.
    await recorder.opened([via]);
    const wrong = requestOf(probe('wrong-key-before', { account }), keysOf(recorder));
    // The first read comes before any wrong key, and shows how the server answers a valid one.
    if (wrong && planned.has('wrong-key-before') && account !== names[0] && !failed)
      await recorder.send(wrong, { via });
    const request = read(account, probe('read', { account }));
    // An unsteady server may fail twice in a row.
    const retried = failed && statusOf(failed) >= 500 ? 0 : 1;
    const exchange = await (failed ? spacing.send(request, retried, { via }) : recorder.send(request, { via }));
    if (exchange && isAccepted(exchange)) open.add(account);
    if (exchange && isAccepted(exchange) && asksWithoutKey) {
      const session = sessionOf(exchange, recorder);
      const apart = withoutKey(probe('after-accepted', { account }));
      await Promise.all([recorder.send(session, { via }), recorder.send(apart)]);
      sessions.push({ request: session, via }, { request: apart });
    } else await via.close();
    return exchange;
  };

  const rejected: Exchange[] = [];
  for (const account of names) {
    progress(`reading the settings of ${account}`);
    const exchange = await readOne(account);
    if (recorder.error) return { open: [], sessions };
    if (account === names[0]) {
      await afterFirst();
      if (await isOnePage(recorder)) return { open: [], sessions, isDead: true };
    }
    if (exchange && isWhole(exchange) && !isAccepted(exchange)) rejected.push(exchange);
  }
  // After wrong keys, an account that was accepted before shows whether this address is banned. A refusal that asks for an
  // honest wait is the limiter's.
  const mayBeBanned = open.size > 0 && rejected.some((exchange) => waitAskedMs(exchange, recorder.evidence()) === 0);
  const isBanned = mayBeBanned && !(await awaitBanEnd(recorder, [...open]));
  asksWithoutKey &&= bansOf(recorder.evidence()).length === 0;
  if (isBanned) return { open: [], sessions };
  for (const exchange of rejected) {
    const account = exchange.account ?? '';
    recorder.pace.hold(account, spacing.waitMs(exchange) ?? (statusOf(exchange) < 500 ? 0 : ONE_MOMENT_MS));
    const last = await readOne(account, exchange);
    if (!last || open.has(account) || !spacing.isOverLimit(last)) continue;
    // If another client uses the key often, one of several reads over more than a window meets a free moment.
    const dense = await readDensely(recorder, account, 'read', EVERY_MOMENT);
    if (dense.some(isAccepted)) open.add(account);
  }
  for (const account of names.filter((name) => !open.has(name))) {
    const reason = `GET /webhooks with the key of ${account} was never accepted (auth.accepted)`;
    recorder.skip(probe('account', { account }), reason);
  }
  return { open: names.filter((name) => open.has(name)), sessions };
}

/** How many equal answers with and without a valid key, and one a moment later, show that nobody serves. */
const ALIKE = 5;
/** The longest wait for a server to start. */
const LONGEST_START_MS = 10_000;

/** Whether valid and wrong keys get the same page, which neither rejects a key nor holds settings. */
async function isOnePage(recorder: Recorder): Promise<boolean> {
  const { exchanges } = recorder;
  // What may depend on the key or the rate is no such page.
  const mayTell = (each: Exchange) => [401, 403, 429].includes(statusOf(each)) || disclosesSettings(each);
  const isAlike = () =>
    new Set(exchanges.map(shapeOf)).size === 1 && exchanges.every((each) => isWhole(each) && !mayTell(each));
  const last = exchanges.at(-1);
  if (!last || exchanges.length < ALIKE || !isAlike()) return false;
  // A gateway says when a server that is just being replaced will be back.
  const askedMs = (waitAskedSeconds(last, recorder.evidence())?.most ?? 0) * 1000 + LITTLE_MS;
  const waitMs = askedMs <= LONGEST_START_MS ? Math.max(askedMs, ONE_MOMENT_MS) : ONE_MOMENT_MS;
  await recorder.pace.until(recorder.now() + waitMs);
  await recorder.send(withoutKey(probe('alive', { trial: 1 })));
  return isAlike();
}

/** In windows: long enough to meet every moment of one, and too short to show that the account is locked out. */
const EVERY_MOMENT = { windows: 1.2 };
/** The longest wait for the end of a ban. */
const LONGEST_BAN_MS = 60_000;
const EVERY_MS = 5000;
/** Each read comes this much later within a second, so that they meet different phases of windows. */
const SHIFT_MS = 137;

/**
 * Waits for the end of a ban after wrong keys, if there is one.
 * @param accounts all accounts whose key was accepted before; a moment ago all were refused
 * @returns false if valid keys are still refused after the longest wait
 */
export async function awaitBanEnd(recorder: Recorder, accounts: readonly string[]): Promise<boolean> {
  const { pace } = recorder;
  const endMs = recorder.now() + LONGEST_BAN_MS;
  const readOf = (account: string) => read(account, probe('ban', { account }));
  // A budget that wrong keys used up is back after a window. One account may be refused for another reason.
  const againMs = Math.max(...accounts.map((account) => pace.freshAtMs(account) + LITTLE_MS));
  const again = await recorder.burst(accounts.map(readOf), { atMs: againMs });
  if (again.length === 0 || again.some(isAccepted)) return true;
  // A ban of the address also shows without a key.
  await recorder.send(withoutKey(probe('guard')));
  const isOfTheLimiter = bansOf(recorder.evidence()).length === 0;
  const asked = again.map((exchange) => waitAskedSeconds(exchange, recorder.evidence())?.most ?? 0);
  const askedMs = Math.max(...asked) * 1000;
  // A limiter may ask for such a short wait if another client of the key often uses up its budget.
  if (askedMs <= longestHonestSeconds(recorder.target.rate) * 1000) {
    const mayLockOut = isOfTheLimiter && accounts.length > 1;
    const [first = ''] = accounts;
    const isLetIn = mayLockOut
      ? await isAnyLetIn(recorder, accounts)
      : (await readDensely(recorder, first, 'ban', EVERY_MOMENT)).some(isAccepted);
    if (isLetIn) return true;
    if (mayLockOut && lockedOut(whileServing(recorder.evidence())).size === accounts.length) return false;
  }
  let nextMs = recorder.now() + (askedMs > EVERY_MS && askedMs <= LONGEST_BAN_MS ? askedMs + LITTLE_MS : EVERY_MS);
  for (let i = 0; nextMs <= endMs + EVERY_MS; i += 1) {
    const exchange = await recorder.send(readOf(accounts[i % accounts.length] ?? ''), { atMs: nextMs });
    if (exchange === null) return false;
    if (isAccepted(exchange)) return true;
    nextMs = recorder.now() + EVERY_MS + SHIFT_MS;
  }
  return false;
}
