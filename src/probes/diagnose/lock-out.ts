/** Reads that one of two causes lets in: another client of a key leaves it some moments, a server that lost a counter none. */
import { probe } from '../../catalogue/probe';
import { LITTLE_MS } from '../../contract/bounds';
import type { Exchange } from '../../evidence/model';
import { isAccepted } from '../../evidence/responder/classify';
import { whileServing } from '../../evidence/responder/serving';
import { areRefusalsFree, LOCKED_OUT } from '../../limiter/locked-out';
import { oddSingles } from '../../limiter/stricter';
import { accountsOf } from '../../limiter/timeline';
import { mayBeAnotherClient, otherClients, worldsLeft } from '../../limiter/worlds';
import { MARGIN_MS } from '../../recorder/pace';
import type { Recorder } from '../../recorder/recorder';
import { DENSE, read } from '../requests';
import { findWhyRefused } from './refused-reads';

/** The trials of these reads: after those of the search for the cause. */
const TRIALS = { row: 7, afterSilence: 8 };

/**
 * Seeks another client of an account that was refused repeatedly although its requests had room: see `findWhyRefused`.
 * Then reads until one is let in, which shows that client, or until all was refused that shows that the account is locked out.
 */
export async function seekAnotherClient(recorder: Recorder, account: string): Promise<void> {
  const { pace } = recorder;
  const evidence = () => whileServing(recorder.evidence());
  const others = accountsOf(evidence()).filter((name) => name !== account);
  const isTried = recorder.exchanges.some((each) => each.probe.group === 'apart' && each.account === account);
  if (!isTried && oddSingles(evidence(), account).length > 1) await findWhyRefused(recorder, account, others);
  const isOpen = () =>
    !recorder.givenUp &&
    worldsLeft(evidence(), account).has('another client') &&
    !otherClients(evidence()).has(account) &&
    mayBeAnotherClient(evidence(), account);
  if (!isOpen()) return;
  const areAllRefused = await pace.turn(account, async () => {
    const row = await readInARow(recorder, account, isAccepted);
    const silenceMs = LOCKED_OUT.silenceWindows * pace.windowMs + MARGIN_MS;
    for (let i = 0; i < LOCKED_OUT.silences && row.every((each) => !isAccepted(each)) && isOpen(); i += 1) {
      const request = read(account, probe('apart', { account, trial: TRIALS.afterSilence }));
      const atMs = Math.max(pace.freshAtMs(account), recorder.now() + silenceMs);
      const exchange = await recorder.send(request, { atMs });
      if (exchange) row.push(exchange);
    }
    return row.every((each) => !isAccepted(each));
  });
  // Where refused requests are charged as well, a poller of one key keeps it out.
  const [other] = others;
  if (!areAllRefused || other === undefined || others.some((name) => areRefusalsFree(name, evidence()))) return;
  const isLetInAgain = (each: Exchange) => isAccepted(each) && areRefusalsFree(other, evidence());
  await pace.turn(other, () => readInARow(recorder, other, isLetInAgain));
}

/** Reads at every moment of a window and a half, until one read is the last. */
async function readInARow(
  recorder: Recorder,
  account: string,
  isLast: (each: Exchange) => boolean,
): Promise<Exchange[]> {
  const { pace } = recorder;
  const request = read(account, probe('apart', { account, trial: TRIALS.row }));
  const startMs = Math.max(pace.freshAtMs(account), recorder.now()) + LITTLE_MS + MARGIN_MS / 2;
  const endMs = startMs + LOCKED_OUT.rowWindows * pace.windowMs + MARGIN_MS;
  const sent: Exchange[] = [];
  for (let atMs = startMs, lastMs = 0; lastMs < endMs; atMs = Math.max(atMs + DENSE.windows * pace.windowMs, lastMs)) {
    const exchange = await recorder.send(request, { atMs });
    if (!exchange) break;
    sent.push(exchange);
    if (isLast(exchange)) break;
    lastMs = exchange.receivedAtMs;
  }
  return sent;
}
