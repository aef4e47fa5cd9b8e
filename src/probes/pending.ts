/**
 * The requests with a valid key that any account can send: who sends which, and which are still to be sent. Each goes in a
 * window that serves another purpose as well, so that it costs none of its own.
 */
import {
  catalogue,
  formsOf,
  isSameProbe,
  type Need,
  type Probe,
  type ProbeRequest,
  probe,
  requestOf,
} from '../catalogue/catalogue';
import type { Keys } from '../catalogue/record';
import { isElsewhere } from '../evidence/model';
import { isAccepted, isRefused, isWhole, statusOf } from '../evidence/responder/classify';
import type { Recorder } from '../recorder/recorder';
import { keysOf, type Spacing } from './requests';

/** How many windows after its first request the last one of a sequence comes. */
const LATER_WINDOWS = 1.65;

const ASKED_OF_ANOTHER =
  'single requests were refused although they kept their distance, and another account was asked the same';

/**
 * Returns an account's share of what takes more windows, because all accounts have the same limiter: `later` are requests
 * over the windows after a sequence and a test of an accepted answer's promise, `recovery` is a test of a refusal's promise.
 */
export function shareOf(account: string, open: readonly string[]): { later: boolean; recovery: boolean } {
  // The first declared account often has a password, and then sends more requests than the others.
  return { later: account === (open.at(-2) ?? open[0]), recovery: account === open.at(-1) };
}

/**
 * Deals the requests out. Each account's sequence begins with another spelling of the header's name, and at one request a
 * window on the base path: the reads after it show whether it used up their budget. Accounts with less other work send more
 * single requests.
 * @returns each account's single requests in the order of sending, the opener of its sequence in place of a plain read, and
 * the request in place of the read that tests a refusal's promise
 */
function dealtAmong(recorder: Recorder, planned: ReadonlySet<Need>, open: readonly string[]) {
  const keys = keysOf(recorder);
  const { requests } = recorder.target.rate;
  const made = (group: Need, account: string) => (planned.has(group) ? formsOf(group, keys, account) : []);
  const isOfEach = ({ probe: { group, form } }: ProbeRequest) => catalogue[group].forms[form]?.isOfEachAccount === true;
  const ofEach = open.flatMap((account) => made('version', account).filter(isOfEach));
  const busy = open.map((account) => {
    const { later, recovery } = shareOf(account, open);
    return { account, windows: Number(later) * LATER_WINDOWS + Number(recovery) };
  });
  const formOf = (group: Need, form: string, account: string) =>
    made(group, account).find(({ probe }) => probe.form === form);
  /** Gives a request to the account with the least work among some. */
  const dealt = (group: Need, form: string, lanes = busy): ProbeRequest[] => {
    const to = lanes.reduce((least, lane) => (lane.windows < least.windows ? lane : least));
    const request = formOf(group, form, to.account);
    if (request) to.windows += 1 / requests;
    return request ? [request] : [];
  };
  const first = open[0] ?? '';
  const hasSequence = planned.has('sequence');
  // Where several requests fit into a window, an opener saves little and could not be distinguished from the others.
  const isOne = hasSequence && requests === 1;
  // Requests that may leak a password go to an account whose password can be found, so they are dealt out first.
  const holders = busy.filter(({ account }) => made('unknown-path', account).length > 0);
  const tellers = holders.length > 0 ? holders : busy;
  const telling = [
    ...dealt('unknown-path', '', tellers),
    ...dealt('other-answers', 'HEAD', tellers),
    ...made('version', first)
      .filter((request) => !isOfEach(request))
      .flatMap(({ probe: { form } }) => dealt('version', form, tellers)),
  ];
  const spellings = made('header-case', first).map(({ probe: { form } }) => form);
  const isAtBase = isOne && made('base-accepted', first).length > 0;
  const openers = (hasSequence ? open : []).flatMap(
    (account) => formOf(isAtBase ? 'base-accepted' : 'header-case', spellings.shift() ?? '', account) ?? [],
  );
  const isRecovered = isOne && planned.has('recovery');
  const recovery = isRecovered ? formOf('header-case', spellings.shift() ?? '', open.at(-1) ?? '') : undefined;
  const left = spellings.flatMap((spelling) => dealt('header-case', spelling));
  // At one request a window, openers show whether the base path accepts.
  const atBase = isOne ? [] : busy.flatMap((lane) => dealt('base-accepted', '', [lane]));
  return { openers, singles: [...left, ...atBase, ...telling, ...ofEach], recovery };
}

export class PendingRequests {
  private readonly taken = new Set<ProbeRequest>();
  private readonly dealt: ReturnType<typeof dealtAmong>;

  constructor(
    private readonly recorder: Recorder,
    private readonly spacing: Spacing,
    planned: ReadonlySet<Need>,
    open: readonly string[],
  ) {
    this.dealt = dealtAmong(recorder, planned, open);
  }

  /** Returns the request that begins an account's sequence. */
  openerOf(account: string): ProbeRequest | null {
    return this.dealt.openers.find((opener) => opener.account === account) ?? null;
  }

  /** Returns what an account sends in place of the read that tests a refusal's promise. */
  recoveryOf(account: string): ProbeRequest | null {
    const { recovery } = this.dealt;
    return recovery?.account === account ? recovery : null;
  }

  /** Returns the next request of an account that has to be accepted and was not yet. The opener of a sequence is the last. */
  toAccept(account: string): ProbeRequest | undefined {
    const left = [...this.singlesOf(account), this.openerOf(account)].filter((request) => request !== null);
    return left.find((request) => !isElsewhere(request.probe) && !this.isShown(request) && !this.isDecided(request));
  }

  /** Returns the next request of an account, first one that has to be accepted. */
  next(account: string): ProbeRequest | undefined {
    return this.toAccept(account) ?? this.singlesOf(account)[0];
  }

  /** Takes the next single request of an account. What was shown meanwhile is left out. */
  take(account: string): ProbeRequest | null {
    for (const single of this.singlesOf(account)) {
      const { group, form } = single.probe;
      const isSame = ({ probe }: ProbeRequest) => probe.group === group && probe.form === form;
      const isAsked = this.spacing.firstRefused !== null && [...this.taken].some(isSame);
      this.taken.add(single);
      if (!isAsked) return single;
      this.recorder.skip(single.probe, ASKED_OF_ANOTHER);
    }
    return null;
  }

  private singlesOf(account: string): ProbeRequest[] {
    return this.dealt.singles.filter(
      (single) => single.account === account && !this.taken.has(single) && !this.isShown(single),
    );
  }

  /** Whether a request need not be sent again: it was accepted if it has to be, or else decided. */
  isShown({ probe }: ProbeRequest): boolean {
    return isElsewhere(probe) ? this.isDecided({ probe }) : this.answersTo(probe).some(isAccepted);
  }

  /** Whether a request was answered, and neither refused nor failed. */
  isDecided({ probe }: Pick<ProbeRequest, 'probe'>): boolean {
    return this.answersTo(probe).some(
      (exchange) => isWhole(exchange) && statusOf(exchange) < 500 && !isRefused(exchange, this.recorder.evidence()),
    );
  }

  private answersTo(probe: Probe) {
    return this.recorder.exchanges.filter((exchange) => isSameProbe(exchange.probe, probe));
  }
}

/** Returns the requests that show separately what a request for two clauses shows at once; none for any other. */
export function shownApart(request: ProbeRequest, keys: Keys): ProbeRequest[] {
  const { group, form } = request.probe;
  if (request.path !== '/' || form === '') return [];
  const about = { account: request.account ?? '' };
  return [probe(group, { ...about, form: '' }), probe('header-case', { ...about, form })].flatMap(
    (each) => requestOf(each, keys) ?? [],
  );
}
