/**
 * Sends requests without a valid key, and repeats those that the server itself may not have answered. A server that
 * takes a bad key for an account's may answer 429 because that budget is spent, a gateway may have no room for eight
 * requests at once, and a guard may answer after some wrong keys. The repeats go alone, with a distance, while all
 * budgets are full.
 */
import { catalogue, nameOf, type ProbeRequest, probe, withoutKey } from '../catalogue/catalogue';
import { groupedBy } from '../common/text';
import { LITTLE_MS } from '../contract/bounds';
import { linesOf } from '../evidence/http/headers';
import type { Exchange } from '../evidence/model';
import { isAccepted, statusOf } from '../evidence/responder/classify';
import { bansOf, isDoubtful, isVeiled, letInWithoutKey } from '../evidence/responder/guards';
import { ONE_MOMENT_MS } from '../evidence/time/in-flight';
import { waitAskedSeconds } from '../evidence/time/server-clock';
import type { Recorder } from '../recorder/recorder';
import type { Connection } from '../recorder/transport/wire';
import type { Spacing } from './requests';

/** Requests without a key that are sent at a time. */
const AT_ONCE = 8;
/** The same, where answers were doubtful. */
const AT_ONCE_AGAIN = 3;
/** How often a request is asked again at most. */
const MOST_ROUNDS = 2;
/** So many are asked again at most where each takes a window in which nothing else goes. */
const MOST_ALONE = 6;
/** A guard's wait is kept once, but not if it is longer than this. */
const LONGEST_WAIT_SECONDS = 60;
const LONG_BAN_MS = 20_000;
const BARRED =
  'After a few wrong keys this address was refused for long, with valid keys too, so no more were sent: ask the operator to exempt it from that defence while the suite runs.';
/** After this many answers of a guard, or faults, among twice as many, the rest of a round is not sent. */
const MOST_VEILED = 3;

/** A request without a valid key, and its connection where it needs a certain one. */
export interface WrongKey {
  request: ProbeRequest;
  via?: Connection;
}

export class WrongKeyRetries {
  private asked: WrongKey[] = [];
  /** How often each probe was asked again. */
  private readonly rounds = new Map<string, number>();
  private hasWaited = false;
  /** Whether wrong keys use up the accounts' budgets. */
  private areCharged = false;
  /** How many were asked again, each in a window of its own. */
  private alone = 0;

  constructor(
    private readonly recorder: Recorder,
    private readonly spacing: Spacing,
  ) {}

  /** Remembers requests that may have to be asked again. */
  remember(asked: readonly WrongKey[]): void {
    this.asked.push(...asked);
  }

  /** From now on asks few again: wrong keys are charged to the accounts, so each takes a window in which nothing else goes. */
  spare(): void {
    this.areCharged = true;
  }

  /** Whether a ban has cost a long wait, so that no more wrong keys are sent: the next one would cost another. */
  private get isBarred(): boolean {
    return bansOf(this.recorder.evidence()).some(({ fromMs, toMs }) => toMs - fromMs > LONG_BAN_MS);
  }

  /** Sends requests, each after the answer to the one before. */
  async sendOneByOne(requests: readonly WrongKey[]): Promise<void> {
    this.remember(requests);
    for (const sending of requests) await this.sendOne(sending);
  }

  /** Sends requests, then one without a key: if that gets another answer than before, a guard answers now. */
  async send(requests: readonly WrongKey[]): Promise<void> {
    this.remember(requests);
    await this.sendAll(requests);
    if (requests.length > 0) await this.sendOne({ request: withoutKey(probe('guard')) });
  }

  /** Sends several at a time, but one at a time until the server has answered anything. */
  async sendAll(requests: readonly WrongKey[], atOnce = AT_ONCE): Promise<void> {
    await this.sendLanes(
      requests.map((sending) => [sending]),
      this.recorder.hasAnswered ? atOnce : 1,
    );
  }

  /** Asks again where the answer may not be the server's own rejection, once the budgets of `open` are whole. */
  async askAgain(open: readonly string[]): Promise<void> {
    const { pace } = this.recorder;
    for (let waiting = this.toAskAgain(); waiting.length > 0 && !this.recorder.givenUp; waiting = this.toAskAgain()) {
      if (this.mayBeOneBudget) this.alone += waiting.length;
      await this.waitForGuard(waiting);
      const failed = this.recorder.exchanges.findLast(
        (exchange) => exchange.account === null && statusOf(exchange) >= 500,
      );
      // Only an answer more than a moment later tells an accident from a server that always fails.
      const laterMs = failed ? failed.receivedAtMs + ONE_MOMENT_MS : 0;
      await pace.until(Math.max(laterMs, ...open.map((account) => this.spacing.freeAtMs(account))));
      await this.sendApart(waiting);
    }
  }

  /** Asks one request again, if there is one whose answer is hidden: whoever calls it knows that all budgets are whole. */
  async askNext(): Promise<void> {
    const [next] = this.toAskAgain();
    if (!next) return;
    this.alone += 1;
    await this.sendApart([next]);
  }

  /** Closes the connections of accepted reads. Nothing can be asked over them again. */
  async endSessions(): Promise<void> {
    for (const { via } of this.asked) await via?.close();
    this.asked = this.asked.filter(({ via }) => via === undefined);
  }

  private async sendOne({ request, via }: WrongKey): Promise<Exchange | null> {
    if (this.isBarred) {
      this.recorder.skip(request.probe, BARRED);
      return null;
    }
    return this.recorder.send(request, via ? { via } : {});
  }

  /**
   * Sends few at a time, those with the same key a window apart, until a guard answers several. What was asked
   * again before goes one at a time, a window apart: a limiter before authentication lets few through.
   */
  private async sendApart(requests: readonly WrongKey[]): Promise<void> {
    const lanes = new Map<string, WrongKey[]>();
    for (const sending of requests) {
      const name = nameOf(sending.request.probe);
      const round = (this.rounds.get(name) ?? 0) + 1;
      this.rounds.set(name, round);
      const key = this.mayBeOneBudget || round > 1 ? '' : keyOf(sending.request);
      lanes.set(key, [...(lanes.get(key) ?? []), sending]);
    }
    let [answered, veiled] = [0, 0];
    await this.sendLanes([...lanes.values()], AT_ONCE_AGAIN, {
      isDue: ({ request }) => (veiled < MOST_VEILED || veiled * 2 < answered) && !this.isLetIn(request),
      onAnswer: (last) => {
        answered += 1;
        veiled += isDoubtful(last, this.recorder.evidence()) ? 1 : 0;
      },
    });
  }

  /**
   * Sends each lane's requests one after another, a window and a little apart, and what is asked for the last time so after
   * anything; after a ban, those of all lanes so.
   * @param isDue whether a request is still to be sent, asked right before
   */
  private async sendLanes(
    lanes: readonly WrongKey[][],
    atOnce: number,
    {
      isDue = () => true,
      onAnswer = () => undefined,
    }: { isDue?: (sending: WrongKey) => boolean; onAnswer?: (answer: Exchange) => void } = {},
  ): Promise<void> {
    const waiting = [...lanes];
    const { pace, exchanges } = this.recorder;
    const isSlow = bansOf(this.recorder.evidence()).length > 0;
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        for (const [i, sending] of next.entries()) {
          if (!isDue(sending)) continue;
          const last = exchanges.at(-1);
          const isAgain = (this.rounds.get(nameOf(sending.request.probe)) ?? 0) > 1;
          if ((i > 0 || isSlow || isAgain) && last && !this.isBarred)
            await pace.until(last.receivedAtMs + pace.windowMs + LITTLE_MS);
          const answer = await this.sendOne(sending);
          if (answer) onAnswer(answer);
        }
      }
    };
    await Promise.all(Array.from({ length: isSlow ? 1 : atOnce }, work));
  }

  /** Whether wrong keys may be charged to one budget: as those of the accounts, or by a server that took a wrong key. */
  private get mayBeOneBudget(): boolean {
    const isWrong = ({ account, request }: Exchange) => account === null && keyOf(request) !== '';
    return this.areCharged || this.recorder.exchanges.some((exchange) => isWrong(exchange) && isAccepted(exchange));
  }

  /** Waits once for as long as a guard asks. */
  private async waitForGuard(waiting: readonly WrongKey[]): Promise<void> {
    const { recorder } = this;
    const evidence = recorder.evidence();
    const names = new Set(waiting.map(({ request }) => nameOf(request.probe)));
    const veils = recorder.exchanges.filter(
      (exchange) => names.has(nameOf(exchange.probe)) && isVeiled(exchange, evidence),
    );
    const ends = veils.flatMap((exchange) => {
      const seconds = waitAskedSeconds(exchange, evidence)?.most ?? 0;
      return seconds <= LONGEST_WAIT_SECONDS ? [exchange.receivedAtMs + seconds * 1000 + LITTLE_MS] : [];
    });
    if (this.hasWaited || ends.length === 0) return;
    this.hasWaited = true;
    await recorder.pace.until(Math.max(...ends));
  }

  private isLetIn({ probe }: ProbeRequest): boolean {
    return letInWithoutKey(this.recorder.exchanges).has(probe.group);
  }

  /**
   * What is asked again. Where each takes a window of its own, those groups first that have the fewest such requests, and none whose
   * answers would stay hidden in part. What follows a read is left out there: its clause needs a connection, too, that has ended.
   */
  private toAskAgain(): WrongKey[] {
    if (this.isBarred) return [];
    const doubtful = this.doubtful();
    if (!this.mayBeOneBudget) return doubtful;
    const alone = doubtful.filter(({ request }) => !catalogue[request.probe.group].followsARead);
    const groups = [...groupedBy(alone, ({ request }) => request.probe.group).values()];
    const again: WrongKey[] = [];
    // One budget for everybody has broken two clauses by now, and each more answer would cost all accounts a window.
    const most = this.areCharged && this.spacing.hasNeighbours ? 0 : MOST_ALONE - this.alone;
    for (const group of groups.toSorted((a, b) => a.length - b.length))
      if (again.length + group.length <= most) again.push(...group);
    return again;
  }

  /** Requests that the server itself may not have answered, if nothing of their group was let in. */
  private doubtful(): WrongKey[] {
    const evidence = this.recorder.evidence();
    const exchanges = this.recorder.exchanges.filter(({ account }) => account === null);
    return this.asked.filter(({ request }) => {
      const name = nameOf(request.probe);
      const last = exchanges.findLast((exchange) => nameOf(exchange.probe) === name);
      // A request of a flood was the same.
      const isAnswered = exchanges.some(
        (each) => each.probe.group === 'keyless' && each.probe.form === name && !isDoubtful(each, evidence),
      );
      const isOpen = last !== undefined && (this.rounds.get(name) ?? 0) < MOST_ROUNDS && !isAnswered;
      return isOpen && !this.isLetIn(request) && isDoubtful(last, evidence);
    });
  }
}

function keyOf({ headers = [] }: Pick<ProbeRequest, 'headers'>): string {
  return linesOf(headers, 'apiKey')[0] ?? '';
}
