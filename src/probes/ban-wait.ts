/** Finds out whether our address was banned after many wrong keys, and waits for the end of the ban. */
import { type ProbeRequest, probe } from '../catalogue/probe';
import { LITTLE_MS, longestHonestSeconds } from '../contract/bounds';
import type { Exchange } from '../evidence/model';
import { isAccepted } from '../evidence/responder/classify';
import { isForetold, longResetOf, SEEN_LATER_MS } from '../evidence/responder/guards';
import { waitAskedSeconds } from '../evidence/time/server-clock';
import type { Recorder } from '../recorder/recorder';
import { DENSE, read } from './requests';

/** The longest wait for the end of a ban. */
const LONGEST_MS = 60_000;
const EVERY_MS = 5000;
/** Each read comes this much later within a second, so that not all meet the same phase of the rate limit's windows. */
const SHIFT_MS = 137;

/**
 * Waits for the end of a ban, if there is one.
 * @param accounts all accounts whose key was accepted before; a moment ago all were refused
 * @param due requests that some of them need anyway, sent in place of a read
 * @returns false where valid keys are still refused after all that time
 */
export async function awaitBanEnd(
  recorder: Recorder,
  accounts: readonly string[],
  due: readonly ProbeRequest[] = [],
): Promise<boolean> {
  const { pace } = recorder;
  const endMs = recorder.now() + LONGEST_MS;
  let trial = 1;
  const ask = async (account: string, atMs: number): Promise<Exchange | null> => {
    const exchange = await recorder.send(read(account, probe('ban', { account, trial })), { atMs });
    trial += 1;
    return exchange;
  };
  // A budget that wrong keys used up is back after a window, and one account may be refused for another reason. Where an
  // accepted answer told of a longer window, refusals show some seconds later whether it is that window.
  const told = recorder.exchanges.filter((exchange) => longResetOf(exchange, recorder.evidence()) !== null);
  const againMs = Math.max(
    ...accounts.map((account) => pace.freshAtMs(account) + LITTLE_MS),
    ...told.map(({ receivedAtMs }) => receivedAtMs + SEEN_LATER_MS),
  );
  const first = due[0]?.account ?? accounts[0] ?? '';
  const again: Array<Exchange | null> = await (due.length > 0
    ? recorder.burst(due, { atMs: againMs })
    : Promise.all([ask(first, againMs)]));
  if (again.length === 0 || again.some((exchange) => exchange === null || isAccepted(exchange))) return true;
  const rest = due.length > 0 ? accounts : accounts.slice(1);
  again.push(...(await Promise.all(rest.map((account) => ask(account, againMs)))));
  if (again.some((exchange) => exchange === null || isAccepted(exchange))) return true;
  if (again.some((exchange) => exchange !== null && isForetold(exchange, recorder.evidence()))) return true;
  const asked =
    Math.max(...again.map((exchange) => (exchange && waitAskedSeconds(exchange, recorder.evidence())?.most) ?? 0)) *
    1000;
  // A wait this short may come from a limiter whose budget another client of the key often uses up.
  if (asked <= longestHonestSeconds(recorder.target.rate) * 1000)
    for (let i = 0; i < DENSE.reads; i += 1) {
      const exchange = await ask(first, recorder.now() + DENSE.windows * pace.windowMs);
      if (exchange === null || isAccepted(exchange)) return true;
    }
  let nextMs = recorder.now() + (asked > EVERY_MS && asked <= LONGEST_MS ? asked + LITTLE_MS : EVERY_MS);
  for (let i = 0; nextMs <= endMs + EVERY_MS; i += 1) {
    const exchange = await ask(accounts[i % accounts.length] ?? '', nextMs);
    if (exchange === null) return false;
    if (isAccepted(exchange)) return true;
    nextMs = recorder.now() + EVERY_MS + SHIFT_MS;
  }
  return false;
}
