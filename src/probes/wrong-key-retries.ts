/**
 * Sends requests without a valid key, and repeats those that the server itself may not have answered: a limiter before
 * authentication may refuse them, a gateway may have no room for eight at once, and a guard may answer after some wrong
 * keys. Repeats go alone, with a distance, while all budgets are whole.
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

/** How many requests without a key are sent at a time. */
const AT_ONCE = 8;
/** How often requests are repeated in a row at most. */
const MOST_ROUNDS = 2;
/** How many are repeated at most if each takes a window of its own. */
const MOST_ALONE = 6;
/** For how long guards are waited for at most, in all. */
const PATIENCE_MS = 60_000;
const LONG_BAN_MS = 20_000;
const BARRED =
  'After a few wrong keys this address was refused for long, with valid keys too, so no more were sent: ask the operator to exempt it from that defence while the suite runs.';
/** After this many answers of a guard, or faults, among twice as many answers, the rest of a round is not sent. */
const MOST_VEILED = 3;

/** A request without a valid key, and its connection if it needs a certain one. */
export interface WrongKey {
  request: ProbeRequest;
  via?: Connection | undefined;
}

export class WrongKeyRetries {
  private asked: WrongKey[] = [];
  /** For how long guards are still waited for. */
  private patienceMs = PATIENCE_MS;
  /** Whether wrong keys use up the accounts' budgets. */
  private areCharged = false;
  /** How many were repeated, each in a window of its own. */
  private alone = 0;

  constructor(
    private readonly recorder: Recorder,
    private readonly spacing: Spacing,
  ) {}

  /** Remembers requests that may have to be repeated. */
  remember(asked: readonly WrongKey[]): void {
    this.asked.push(...asked);
  }

  /** From now on repeats only few: wrong keys are charged to the accounts, so each takes a window of its own. */
  spare(): void {
    this.areCharged = true;
  }

  /** Whether a ban has cost a long wait, so that no more wrong keys are sent. */
  private get isBarred(): boolean {
    return bansOf(this.recorder.evidence()).some(({ fromMs, toMs }) => toMs - fromMs > LONG_BAN_MS);
  }

  /** Sends requests, then one without a key. If that gets another answer than before, a guard answers now. */
  async send(requests: readonly WrongKey[]): Promise<void> {
    this.remember(requests);
    await this.sendAll(requests);
    if (requests.length > 0) await this.sendOne({ request: withoutKey(probe('guard')) });
  }

  /** Sends several requests at a time, but one at a time until the server has answered one, and after a ban. */
  async sendAll(requests: readonly WrongKey[], atOnce = AT_ONCE): Promise<void> {
    const waiting = [...requests];
    const isCareful = !this.recorder.hasAnswered || bansOf(this.recorder.evidence()).length > 0;
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await this.sendOne(next);
    };
    await Promise.all(Array.from({ length: isCareful ? 1 : atOnce }, work));
  }

  /**
   * Repeats requests whose answer may not be the server's own rejection, when the budgets of `open` are whole.
   * @param rounds how often at most
   */
  async askAgain(open: readonly string[], rounds = MOST_ROUNDS): Promise<void> {
    const { pace } = this.recorder;
    for (let round = 0; round < rounds && !this.recorder.givenUp; round += 1) {
      const waiting = this.toAskAgain();
      if (waiting.length === 0) return;
      if (this.mayBeOneBudget) this.alone += waiting.length;
      const names = new Set(waiting.map(({ request }) => nameOf(request.probe)));
      await this.waitForGuard(this.recorder.exchanges.filter(({ probe }) => names.has(nameOf(probe))));
      const failed = this.recorder.exchanges.findLast(
        (exchange) => exchange.account === null && statusOf(exchange) >= 500,
      );
      // Only an answer more than a moment later distinguishes an accident from a server that always fails.
      const laterMs = failed ? failed.receivedAtMs + ONE_MOMENT_MS : 0;
      await pace.until(Math.max(laterMs, ...open.map((account) => this.spacing.freeAtMs(account))));
      await this.sendApart(waiting);
    }
  }

  /** Repeats one request whose answer is hidden, if there is any. All budgets must be whole. */
  async askNext(): Promise<void> {
    const [next] = this.toAskAgain();
    if (!next) return;
    this.alone += 1;
    await this.sendApart([next]);
  }

  /** Closes the connections of accepted reads. Nothing can be repeated over them. */
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
   * Sends requests with the distance that the rate asks for: first one, as a limiter before authentication may accept few,
   * then twice as many at one moment each time, and half as many where a guard answered one. Ends when it answered half of
   * all.
   */
  private async sendApart(requests: readonly WrongKey[]): Promise<void> {
    const { pace, exchanges, target } = this.recorder;
    const apartMs = pace.windowMs / target.rate.requests + LITTLE_MS;
    const known = this.recorder.evidence();
    // What answers 403 may count wrong keys, and ban an address that goes on.
    const isOfADefence = (each: Exchange) => isVeiled(each, known) && ![429, 503].includes(statusOf(each));
    const isCareful = this.mayBeOneBudget || bansOf(known).length > 0 || exchanges.some(isOfADefence);
    let [answered, veiled, atOnce, mostAtOnce] = [0, 0, 1, isCareful ? 1 : AT_ONCE];
    const waiting = [...requests];
    while (waiting.length > 0 && (veiled < MOST_VEILED || veiled * 2 < answered)) {
      const some = waiting.splice(0, atOnce).filter(({ request }) => !this.isLetIn(request));
      if (some.length > 0 && !this.isBarred) await pace.until((exchanges.at(-1)?.receivedAtMs ?? 0) + apartMs);
      const answers = await Promise.all(some.map((each) => this.sendOne(each)));
      const evidence = this.recorder.evidence();
      const hidden = some.filter((_, i) => answers[i] && isDoubtful(answers[i], evidence));
      answered += answers.filter((answer) => answer !== null).length;
      veiled += hidden.length;
      await this.waitForGuard(answers.filter((answer) => answer !== null));
      if (some.length > 1 && hidden.length > 0) {
        waiting.push(...hidden);
        mostAtOnce = Math.floor(some.length / 2);
      }
      atOnce = Math.min(2 * atOnce, mostAtOnce);
    }
  }

  /** Whether wrong keys may be charged to one budget: they are charged to the accounts, or one was accepted. */
  private get mayBeOneBudget(): boolean {
    const isWrong = ({ account, request }: Exchange) => account === null && keyOf(request) !== '';
    return this.areCharged || this.recorder.exchanges.some((exchange) => isWrong(exchange) && isAccepted(exchange));
  }

  /** Waits for as long as some answers ask, as long as that is no more than a minute in the whole run. */
  private async waitForGuard(answers: readonly Exchange[]): Promise<void> {
    const { recorder } = this;
    const evidence = recorder.evidence();
    const waitsMs = answers
      .filter((exchange) => isVeiled(exchange, evidence))
      .map((exchange) => {
        const askedMs = (waitAskedSeconds(exchange, evidence)?.most ?? 0) * 1000;
        return exchange.receivedAtMs + askedMs + LITTLE_MS - recorder.now();
      })
      .filter((ms) => ms <= this.patienceMs);
    const waitMs = Math.max(0, ...waitsMs);
    this.patienceMs -= waitMs;
    await recorder.pace.until(recorder.now() + waitMs);
  }

  private isLetIn({ probe }: ProbeRequest): boolean {
    return letInWithoutKey(this.recorder.exchanges).has(probe.group);
  }

  /**
   * Returns the requests to repeat. If each takes a window of its own, the groups with the fewest such requests come first,
   * and none of which some answers would stay hidden. Requests that follow a read need its connection, so they are left out.
   */
  private toAskAgain(): WrongKey[] {
    if (this.isBarred) return [];
    const doubtful = this.doubtful();
    if (!this.mayBeOneBudget) return doubtful;
    const alone = doubtful.filter(({ request }) => !catalogue[request.probe.group].followsARead);
    const groups = [...groupedBy(alone, ({ request }) => request.probe.group).values()];
    const again: WrongKey[] = [];
    // One budget for all has broken two clauses by now, and each repetition would cost all accounts a window.
    const most = this.areCharged && this.spacing.hasNeighbours ? 0 : MOST_ALONE - this.alone;
    for (const group of groups.toSorted((a, b) => a.length - b.length))
      if (again.length + group.length <= most) again.push(...group);
    return again;
  }

  /** Returns the requests that the server itself may not have answered, if none of their group was accepted. */
  private doubtful(): WrongKey[] {
    const evidence = this.recorder.evidence();
    const exchanges = this.recorder.exchanges.filter(({ account }) => account === null);
    return this.asked.filter(({ request }) => {
      const name = nameOf(request.probe);
      const own = exchanges.filter((exchange) => nameOf(exchange.probe) === name);
      const last = own.at(-1);
      // A flood has the same requests.
      const isAnswered = exchanges.some(
        (each) => each.probe.group === 'keyless' && each.probe.form === name && !isDoubtful(each, evidence),
      );
      if (last === undefined || isAnswered || this.isLetIn(request) || !isDoubtful(last, evidence)) return false;
      // A server that fails again and again does so each time, but a guard may be gone later.
      return isVeiled(last, evidence) || own.length <= MOST_ROUNDS;
    });
  }
}

function keyOf({ headers = [] }: Pick<ProbeRequest, 'headers'>): string {
  return linesOf(headers, 'apiKey')[0] ?? '';
}
