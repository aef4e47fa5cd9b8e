/** A headline in plain words for each cause, for readers who know no header fields. */

import type { Cause } from '../../judge/causes';
import { HARM } from '../../judge/severity';
import { causesByVerdict } from '../format';
import type { ReportInput } from '../model';

/** What it means that callers without a valid key are not turned away, by the harm. */
const WITHOUT_KEY: Readonly<Record<number, string>> = {
  [HARM.disclosed]: 'Anyone can read the settings without a valid key',
  [HARM.letIn]: 'The API lets callers in without a valid key',
};
const NOT_TURNED_AWAY = 'Callers without a valid key are not turned away properly';

/** By the first clause of the cause. What is not here is about callers without a valid key. */
const HEADLINES: Readonly<Record<string, string>> = {
  'auth.accepted': 'A valid key is not accepted',
  'auth.base-path-accepted': 'A valid key is not accepted at the base path',
  'auth.header-name-case': 'The key counts only if its header is written in one way',
  'auth.rejection-401-403': 'Rejections do not say what is missing',
  'auth.rejection-discloses-nothing': 'Rejections give away what only the owner may know',
  'auth.own-settings': 'A customer gets the settings of another one',
  'auth.isolation': 'Customers who ask at the same moment get each other’s settings',
  'auth.key-not-echoed': 'Responses repeat the key of the caller',
  'auth.not-publicly-cacheable': 'Caches may show the settings to others',
  'settings.json': 'The settings cannot be read as JSON',
  'settings.content-type': 'The settings are not labelled as JSON',
  'settings.envelope': 'The document of settings has another shape',
  'settings.kinds': 'Settings of a notification kind are missing',
  'settings.kind-status': 'Whether a notification kind is on cannot be told',
  'settings.kind-url': 'Where a notification goes cannot be told',
  'settings.auth-status': 'Whether receivers are shown credentials cannot be told',
  'settings.auth-type': 'How receivers are shown credentials cannot be told',
  'settings.basic': 'The settings for Basic credentials are incomplete',
  'settings.username': 'The username of the receiver has another type',
  'settings.password-null': 'The settings show what stands where a password is stored',
  'settings.password-absent': 'Stored passwords stand in responses',
  'settings.has-password-type': 'Whether a password is stored cannot be told',
  'settings.has-password-stored': 'A stored password is not shown as stored',
  'settings.has-password-not-stored': 'A password is shown as stored that is not',
  'settings.apikey': 'The settings for keys of receivers are incomplete',
  'settings.apikey-unused': 'A scheme that is not in use holds values',
  'settings.as-configured': 'The settings are not those that were configured',
  'settings.stable': 'The same question gets different settings',
  'settings.no-extra': 'The settings hold members that are not described',
  'rate.headers-present': 'Clients are not told the rate limit',
  'rate.headers-everywhere': 'Some responses do not tell the rate limit',
  'rate.limit-format': 'Clients cannot read the rate limit',
  'rate.remaining-format': 'Clients cannot read how many requests are left',
  'rate.reset-format': 'Clients cannot read when the limit ends',
  'rate.retry-after-present': 'Refused clients are not told when to come back',
  'rate.retry-after-format': 'Refused clients cannot read when to come back',
  'rate.enforced': 'The rate limit is not kept',
  'rate.enforced-concurrent': 'Requests at the same moment get past the rate limit',
  'rate.not-stricter': 'Clients who keep to the rate are refused',
  'rate.limit-honest': 'The limit in the headers is not the limit in force',
  'rate.remaining-honest': 'The number of requests left is not true',
  'rate.reset-honest': 'The end of the limit is not true',
  'rate.retry-after-honest': 'Clients who wait as asked are refused again, or wait too long',
  'rate.retry-after-agrees': 'Refused clients are told two different times',
  'rate.per-user': 'One customer uses up the budget of another one',
  'rate.across-paths': 'The limit can be got around by asking at another path',
  'rate.keyless-free': 'Strangers without a key use up the budget of customers',
  'rate.refusal': 'Refusals for the rate limit cannot be told from other answers',
  'rate.refusal-429': 'Refusals for the rate limit have an unusual status',
  'version.base': 'The address does not name the version',
  'version.unknown': 'Versions that do not exist serve the settings',
  'version.unversioned': 'The settings are served without a version',
  'event.enabled-sent': 'Notifications that are switched on do not arrive',
  'event.disabled-silent': 'Notifications that are switched off are sent',
  'event.own-url': 'Notifications go to the wrong address',
  'event.basic-auth': 'Notifications do not carry the configured credentials',
  'event.apikey-auth': 'Notifications do not carry the configured key',
  'event.auth-off': 'Notifications carry credentials that are switched off',
  'event.no-credentials-in-payload': 'Notifications give away credentials',
  'transport.complete': 'Some requests get no whole answer',
  'transport.https': 'Keys can be read on the way',
};

/** Returns what broke a run, the most harmful first. */
export function headlinesOf(input: ReportInput): Array<{ headline: string; clauses: string[] }> {
  const [{ causes }] = causesByVerdict(input);
  return causes.map((cause) => ({ headline: headlineOf(cause), clauses: cause.clauses }));
}

/** Returns the headline of a cause. */
export function headlineOf({ clauses: [first = ''], harm }: Cause): string {
  return HEADLINES[first] ?? WITHOUT_KEY[harm] ?? NOT_TURNED_AWAY;
}
