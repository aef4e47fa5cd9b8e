/** Requests with a valid key that any account can be asked, one window after another: dealt out among the accounts. */
import type { TargetFacts } from '../evidence/exchange';
import { markerOf } from '../evidence/markers';
import { type Need, probe } from '../evidence/probe';
import type { ProbeRequest } from '../recorder/recorder';
import { shareOf } from './plan';
import { read } from './requests';

const SPELLINGS = ['APIKEY', 'apikey', 'ApiKey'];
/** So many windows pass until the last request of a sequence. */
const LATER_WINDOWS = 1.65;

/**
 * The requests, each account's in the order of sending. Who has less to do besides gets more of them.
 * @param open the accounts whose key was accepted
 */
export function singlesFor(
  { baseURL, rate }: Pick<TargetFacts, 'baseURL' | 'rate'>,
  planned: ReadonlySet<Need>,
  open: readonly string[],
): ProbeRequest[] {
  const [first] = open;
  if (first === undefined) return [];
  const made = (account: string): ProbeRequest[] => [
    ...SPELLINGS.map((form) => ({
      ...read(account, probe('header-case', { account, form })),
      headers: [[form, markerOf('apiKey', account)] as const],
    })),
    ...otherVersions(baseURL).map(([form, path]) => ({ ...read(account, probe('version', { account, form })), path })),
    { ...read(account, probe('base-accepted', { account })), path: '/' },
  ];
  const busy = open.map((account) => {
    const { later, recovery } = shareOf(account, open);
    return { account, windows: Number(later) * LATER_WINDOWS + Number(recovery) };
  });
  return made(first).flatMap(({ probe: { group } }, i) => {
    if (!planned.has(group as Need)) return [];
    const least = busy.reduce((sofar, one) => (one.windows <= sofar.windows ? one : sofar));
    least.windows += 1 / rate.requests;
    return made(least.account)[i] ?? [];
  });
}

/** The read of the settings below other versions than v2 (API description, section 9), as absolute URLs. */
function otherVersions(baseURL: string): Array<[form: string, url: string]> {
  if (!/\/v2$/.test(baseURL)) return [];
  const without = baseURL.replace(/\/v2$/, '');
  return [
    ['v0', `${without}/v0/webhooks`],
    ['v999', `${without}/v999/webhooks`],
    ['unversioned', `${without}/webhooks`],
  ];
}
