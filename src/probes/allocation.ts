/** Deals out what any account can send, one request in each window; and the trials at the limit that take windows more. */
import { catalogue, type Need } from '../catalogue/catalogue';
import { formsOf, type ProbeRequest, probe, requestOf } from '../catalogue/probe';
import type { Keys } from '../catalogue/record';
import type { Rate } from '../contract/bounds';

/** The last request of a sequence comes this many windows after its first. */
const LATER_WINDOWS = 1.65;

/** How the requests are dealt out, each account's in the order of sending. */
export interface Dealt {
  singles: ProbeRequest[];
  /** By account, the request that begins its sequence in place of a plain read, so it needs no window of its own. */
  openers: ReadonlyMap<string, ProbeRequest>;
  /** What takes the place of the read that tests what a refusal promises, so it needs no window of its own. */
  recovery: ProbeRequest | null;
  /** The account that is asked last what a limiter may overlook, and for answers that may show what it holds. */
  respeller: string | undefined;
}

/**
 * Deals the requests out. Each account's sequence begins with the key under another spelling of the header's name, and at
 * one request a window on the base path: the reads after it show whether it used up their budget. Accounts with less other
 * work get more of the requests that are sent alone.
 */
export function dealtAmong(keys: Keys, rate: Rate, planned: ReadonlySet<Need>, open: readonly string[]): Dealt {
  const isPlanned = ({ probe: { group } }: ProbeRequest) => planned.has(group as Need);
  const made = (group: Need, account: string) => formsOf(group, keys, account).filter(isPlanned);
  const isOfEach = ({ probe: { group, form } }: ProbeRequest) => catalogue[group].forms[form]?.isOfEachAccount === true;
  const ofEach = open.flatMap((account) => made('version', account).filter(isOfEach));
  const busy = open.map((account) => {
    const { later, recovery } = shareOf(account, open);
    const asked = ofEach.filter((request) => request.account === account).length / rate.requests;
    return { account, windows: Number(later) * LATER_WINDOWS + Number(recovery) + asked };
  });
  const leastBusy = (among = busy) => among.reduce((sofar, lane) => (lane.windows < sofar.windows ? lane : sofar));
  const [first] = open;
  if (first === undefined) return { openers: new Map(), singles: [], recovery: null, respeller: undefined };
  const spellings = made('header-case', first).map(({ probe: { form } }) => form);
  const asksAtBase = made('base-accepted', first).length > 0;
  const opens = planned.has('sequence');
  // Where several requests fit into a window, an opener saves little, and could not be told from the other requests.
  const isOne = opens && rate.requests === 1;
  const formOf = (group: Need, form: string) => (account: string) =>
    made(group, account).find(({ probe }) => probe.form === form);
  const dealt = (request: (account: string) => ProbeRequest | undefined, to = leastBusy()): ProbeRequest[] => {
    to.windows += 1 / rate.requests;
    return [request(to.account)].filter((made) => made !== undefined);
  };
  // What may show what an account holds is asked of one whose password can be found, so it is dealt out first.
  const holders = busy.filter(({ account }) => made('unknown-path', account).length > 0);
  const elsewhere = made('version', first).filter((request) => !isOfEach(request));
  const holder = holders.length > 0 ? leastBusy(holders) : undefined;
  const telling = [
    ...(holder ? dealt(formOf('unknown-path', ''), holder) : []),
    ...(holder ? dealt(formOf('other-answers', 'HEAD'), leastBusy(holders)) : []),
    ...elsewhere.flatMap(({ probe: { form } }) =>
      dealt(formOf('version', form), leastBusy(holders.length > 0 ? holders : busy)),
    ),
  ];
  const left = [...spellings];
  const openers = (opens ? open : []).flatMap((account) => {
    const request = formOf(asksAtBase && isOne ? 'base-accepted' : 'header-case', left.shift() ?? '')(account);
    return request ? [[account, request] as const] : [];
  });
  const isRecovered = isOne && planned.has('recovery');
  const recovery = isRecovered && made('header-case', open.at(-1) ?? '').find(({ probe }) => probe.form === left[0]);
  if (recovery) left.shift();
  // At one request a window, openers show whether the base path accepts.
  const atBase = busy.filter(({ account }) => !isOne && made('base-accepted', account).length > 0);
  const singles = [
    ...left.flatMap((spelling) => dealt(formOf('header-case', spelling))),
    ...atBase.flatMap((lane) => dealt(formOf('base-accepted', ''), lane)),
    ...telling,
  ];
  // What each account is asked goes last: a server that refuses single requests is asked it with one account only.
  return {
    openers: new Map(openers),
    singles: [...singles, ...ofEach],
    recovery: recovery || null,
    respeller: holder?.account ?? leastBusy().account,
  };
}

/** Returns the requests that show one by one what a request that was not accepted would have shown at once. */
export function shownApart({ probe: opened, account, path }: ProbeRequest, keys: Keys): ProbeRequest[] {
  const form = path === '/' ? '' : opened.form;
  const about = { account: account ?? '' };
  const apart = [probe(opened.group, { ...about, form }), probe('header-case', { ...about, form: opened.form })];
  const isBoth = path === '/' && opened.form !== '';
  return apart.slice(0, isBoth ? 2 : 1).flatMap((sentFor) => requestOf(sentFor, keys) ?? []);
}

/** What an account does for the trials at the limit, besides a sequence, a burst and a read of the other path. */
export interface Share {
  /** Requests that span the windows after a sequence, and a test of what an accepted response promises. */
  later: boolean;
  /** A test of what a refusal promises. */
  recovery: boolean;
}

/** Returns an account's share. What takes windows more is dealt out, because all accounts have the same limiter. */
export function shareOf(account: string, open: readonly string[]): Share {
  // The first declared account is often the one with a password, which is asked more than the others.
  return { later: account === (open.at(-2) ?? open[0]), recovery: account === open.at(-1) };
}
