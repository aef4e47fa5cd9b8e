/** Deals out requests with a valid key that any account can send, one in each window. */

import { type Need, probe } from '../catalogue/probe';
import { markerOf } from '../evidence/markers';
import type { TargetFacts } from '../evidence/model';
import type { ProbeRequest } from '../recorder/recorder';
import { shareOf } from './dependencies';
import { read } from './requests';

const SPELLINGS = ['APIKEY', 'apikey', 'ApiKey'];
/** The last request of a sequence comes this many windows after its first. */
const LATER_WINDOWS = 1.65;

/** How the requests are dealt out, each account's in the order of sending. */
export interface Dealt {
  singles: ProbeRequest[];
  /** By account, the request that begins its sequence in place of a plain read, so it needs no window of its own. */
  openers: ReadonlyMap<string, ProbeRequest>;
}

/**
 * Deals the requests out. Each account's sequence begins with another spelling of the header's name. Accounts with less
 * other work get more of the requests that are sent alone.
 */
export function dealtAmong(
  { baseURL, rate }: Pick<TargetFacts, 'baseURL' | 'rate'>,
  planned: ReadonlySet<Need>,
  open: readonly string[],
): Dealt {
  const spelt = planned.has('sequence') && planned.has('header-case') ? open.slice(0, SPELLINGS.length) : [];
  const openers = new Map(spelt.map((account, i) => [account, spelling(account, SPELLINGS[i] ?? '')]));
  return { openers, singles: singlesFor({ baseURL, rate }, planned, open, SPELLINGS.slice(spelt.length)) };
}

function spelling(account: string, form: string): ProbeRequest {
  const sentFor = probe('header-case', { account, form });
  return { ...read(account, sentFor), headers: [[form, markerOf('apiKey', account)]] };
}

function singlesFor(
  { baseURL, rate }: Pick<TargetFacts, 'baseURL' | 'rate'>,
  planned: ReadonlySet<Need>,
  open: readonly string[],
  spellings: readonly string[],
): ProbeRequest[] {
  const [first] = open;
  if (first === undefined) return [];
  const made = (account: string): ProbeRequest[] => [
    ...spellings.map((form) => spelling(account, form)),
    { ...read(account, probe('base-accepted', { account })), path: '/' },
    // These are rejected, so they do not show when the limit accepts again.
    ...otherVersions(baseURL).map(([form, path]) => ({ ...read(account, probe('version', { account, form })), path })),
  ];
  const busy = open.map((account) => {
    const { later, recovery } = shareOf(account, open);
    return { account, windows: Number(later) * LATER_WINDOWS + Number(recovery) };
  });
  return made(first).flatMap(({ probe: { group } }, i) => {
    if (!planned.has(group as Need)) return [];
    const least = busy.reduce((sofar, lane) => (lane.windows <= sofar.windows ? lane : sofar));
    least.windows += 1 / rate.requests;
    return made(least.account)[i] ?? [];
  });
}

/** Reads of the settings below other versions than v2 (API description, section 9), as absolute URLs. */
function otherVersions(baseURL: string): Array<[form: string, url: string]> {
  if (!/\/v2$/.test(baseURL)) return [];
  const without = baseURL.replace(/\/v2$/, '');
  return [
    ['v0', `${without}/v0/webhooks`],
    ['v999', `${without}/v999/webhooks`],
    ['unversioned', `${without}/webhooks`],
  ];
}
