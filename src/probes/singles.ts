/** Requests with a valid key that any account can be asked, one window after another: dealt out among the accounts. */
import { markerOf } from '../evidence/markers';
import { type Need, nameOf, probe } from '../evidence/probe';
import type { ProbeRequest, Recorder } from '../recorder/recorder';
import { read } from './requests';
import type { Spacing } from './spacing';

const SPELLINGS = ['APIKEY', 'apikey', 'ApiKey'];

/** Sends them, accounts side by side. */
export async function sendSingles(
  recorder: Recorder,
  spacing: Spacing,
  planned: ReadonlySet<Need>,
  open: readonly string[],
  progress: (what: string) => void,
): Promise<void> {
  const dealt = singlesFor(recorder.target.baseURL, planned, open);
  // In another order than all before, so that accounts side by side do not meet the same replica each time.
  const turned = [...open.slice(2), ...open.slice(0, 2)];
  const lanes = turned.map(async (account) => {
    for (const request of dealt.filter((one) => one.account === account)) {
      progress(nameOf(request.probe));
      await spacing.send(request);
    }
  });
  await Promise.all(lanes);
}

/** The requests, each account's in the order of sending; `open` are the accounts whose key was accepted. */
export function singlesFor(baseURL: string, planned: ReadonlySet<Need>, open: readonly string[]): ProbeRequest[] {
  const makers: Array<(account: string) => ProbeRequest> = [];
  if (planned.has('header-case')) {
    for (const name of SPELLINGS) {
      makers.push((account) => ({
        ...read(account, probe('header-case', { account, form: name })),
        headers: [[name, markerOf('apiKey', account)]],
      }));
    }
  }
  if (planned.has('version')) {
    for (const [form, url] of otherVersions(baseURL)) {
      makers.push((account) => ({ ...read(account, probe('version', { account, form })), path: url }));
    }
  }
  const base = planned.has('base-accepted') ? open : [];
  return [
    ...makers.map((make, i) => make(open[i % open.length] ?? '')),
    ...base.map((account) => ({ ...read(account, probe('base-accepted', { account })), path: '/' })),
  ];
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
