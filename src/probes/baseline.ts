/** Reads every account first, and asks at once without the key, on two connections (API description, section 5). */
import type { Need } from '../catalogue/catalogue';
import { probe, requestOf, withoutKey } from '../catalogue/probe';
import type { Exchange } from '../evidence/model';
import { disclosesSettings, isAccepted, isWhole, shapeOf, statusOf } from '../evidence/responder/classify';
import { bansOf } from '../evidence/responder/guards';
import { waitAskedMs } from '../evidence/time/gaps';
import { ONE_MOMENT_MS } from '../evidence/time/in-flight';
import type { Recorder } from '../recorder/recorder';
import type { Connection } from '../recorder/transport/wire';
import { awaitBanEnd } from './ban-wait';
import type { Spacing } from './paced-send';
import { keysOf, read, SPREAD } from './requests';
import type { WrongKey } from './wrong-key-retries';

export interface FirstReads {
  /** Accounts whose key was accepted, in declared order. Only these are asked the rest. */
  open: string[];
  /** The requests without a key that followed reads: over a read's connection, which is still open, and over another. */
  sessions: WrongKey[];
  /** Whether our address was banned after these few requests without a key. */
  wasBanned: boolean;
  /** Whether everything gets one and the same page, so that nothing else is asked. */
  isDead?: true;
}

/**
 * Reads one account right after another, so that a cache that ignores the key shows. If it is planned, each read but the
 * first comes over a connection that a wrong key came over before, and after each the same is asked without a key, over
 * its connection with the cookies that were set, and over another one.
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
  const readOne = async (account: string, isAgain: boolean): Promise<Exchange | null> => {
    const via = recorder.connection();
    const another = asksWithoutKey && !isAgain ? recorder.connection() : null;
    // If a connection cannot be opened, the exchange over it shows that as its fault.
    await recorder.opened(another ? [via, another] : [via]);
    const wrong = requestOf(probe('wrong-key-before', { account }), keysOf(recorder));
    // The first read comes before any wrong key: it shows how the server answers to a valid one.
    if (wrong && planned.has('wrong-key-before') && account !== names[0] && !isAgain)
      await recorder.send(wrong, { via });
    const request = read(account, probe('read', { account }));
    const exchange = await (isAgain ? spacing.send(request, 1, { via }) : recorder.send(request, { via }));
    if (exchange && isAccepted(exchange)) open.add(account);
    if (exchange && isAccepted(exchange) && asksWithoutKey) {
      const apart = withoutKey(probe('after-accepted', { account }));
      const [session] = await Promise.all([
        askWithoutKey(recorder, account, exchange, via),
        recorder.send(apart, another ? { via: another } : {}),
      ]);
      sessions.push(session, { request: apart });
    } else await via.close();
    await another?.close();
    return exchange;
  };

  const rejected: Exchange[] = [];
  for (const account of names) {
    progress(`reading the settings of ${account}`);
    const exchange = await readOne(account, false);
    if (recorder.error) return { open: [], sessions, wasBanned: false };
    if (account === names[0]) {
      await afterFirst();
      if (await isOnePage(recorder)) return { open: [], sessions, wasBanned: false, isDead: true };
    }
    if (exchange && isWhole(exchange) && !isAccepted(exchange)) rejected.push(exchange);
  }
  // An earlier run may have used up the budget of a first read, so a single refusal says nothing.
  if (rejected.length > 1 && rejected.length < names.length) recorder.pace.share();
  // Wrong keys went before it, so an account that was accepted shows whether our address is banned by now. A refusal
  // that asks for an honest wait is the limiter's.
  const mayBeBanned = open.size > 0 && rejected.some((exchange) => waitAskedMs(exchange, recorder.evidence()) === 0);
  const isBanned = mayBeBanned && !(await awaitBanEnd(recorder, [...open]));
  const wasBanned = bansOf(recorder.evidence()).length > 0;
  asksWithoutKey &&= !wasBanned;
  if (isBanned) return { open: [], sessions, wasBanned };
  for (const exchange of rejected) {
    const account = exchange.account ?? '';
    recorder.pace.hold(account, spacing.waitMs(exchange) ?? (statusOf(exchange) < 500 ? 0 : ONE_MOMENT_MS));
    const last = await readOne(account, true);
    if (!last || open.has(account) || !spacing.isOverLimit(last)) continue;
    // Another client may use the key often: one of several reads over more than a window meets a free moment.
    const fromMs = Math.max(recorder.pace.freshAtMs(account), recorder.now());
    for (const windows of SPREAD) {
      if (open.has(account)) break;
      await recorder.pace.until(fromMs + windows * recorder.pace.windowMs);
      await readOne(account, false);
    }
  }
  for (const account of names.filter((name) => !open.has(name))) {
    const reason = `GET /webhooks with the key of ${account} was never accepted (auth.accepted)`;
    recorder.skip(probe('account', { account }), reason);
  }
  return { open: names.filter((name) => open.has(name)), sessions, wasBanned };
}

/** So many answers with and without a valid key, and one a moment later, show that nobody serves. */
const ALIKE = 5;

/** Whether valid and wrong keys get one and the same answer that neither rejects a key nor is the settings: that of an empty server, or of one in repair. */
async function isOnePage(recorder: Recorder): Promise<boolean> {
  const { exchanges } = recorder;
  const isAlike = () =>
    new Set(exchanges.map(shapeOf)).size === 1 && exchanges.every((each) => isWhole(each) && !mayTellKeys(each));
  if (exchanges.length < ALIKE || !isAlike()) return false;
  await recorder.pace.until(recorder.now() + ONE_MOMENT_MS);
  await recorder.send(withoutKey(probe('alive', { trial: 1 })));
  return isAlike();
}

/** Whether an answer may depend on the key, or on the rate. */
function mayTellKeys(exchange: Exchange): boolean {
  return [401, 403, 429].includes(statusOf(exchange)) || disclosesSettings(exchange);
}

async function askWithoutKey(
  recorder: Recorder,
  account: string,
  accepted: Exchange,
  via: Connection,
): Promise<WrongKey> {
  const cookies = recorder.cookiesOf(accepted);
  const sentFor = probe('session', { account });
  const request = requestOf(sentFor, { ...keysOf(recorder), cookies: () => cookies }) ?? withoutKey(sentFor);
  await recorder.send(request, { via });
  return { request, via };
}
