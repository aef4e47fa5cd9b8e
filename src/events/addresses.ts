/** Where the notifications of an account should arrive, and whether a request came there. */
import { KINDS } from '../contract/settings';
import { isObject, type JsonObject, memberAt, settingsIn } from '../evidence/http/json';
import { isHttpUrl } from '../evidence/http/url';
import type { Delivery, Evidence, Kind } from '../evidence/model';
import { declaredOf, describedOf, differences, ownReads } from '../evidence/settings-reads';

export type Configured = NonNullable<ReturnType<typeof configuredIn>>;

/** Returns the settings that decide about an account's notifications; `null` where unclear or not as declared. */
export function configuredIn(evidence: Evidence, account: string) {
  const reads = ownReads(evidence).filter((read) => read.account === account);
  const [read] = reads;
  const webhook = settingsIn(read?.response?.body ?? '');
  if (!read || !webhook || new Set(reads.map(describedOf)).size > 1) return null;
  const declared = declaredOf(evidence, account)?.settings;
  const isOtherwise = differences(declared ?? {}, webhook).some(({ path }) => !/[pP]assword$/.test(path));
  if (isOtherwise) return null;
  const kinds: Partial<Record<Kind, { enabled: boolean; url: string; address: string }>> = {};
  for (const kind of KINDS) {
    const enabled = memberAt(webhook, `${kind}.status`);
    const url = memberAt(webhook, `${kind}.url`);
    if (typeof enabled !== 'boolean' || typeof url !== 'string' || !isHttpUrl(url)) continue;
    const [, path = '', query = ''] = /^\w+:\/\/[^/?#\\]*([^?#]*)(\?[^#]*)?/.exec(url) ?? [];
    kinds[kind] = { enabled, url, address: addressOf((path || '/') + query) };
  }
  const auth: JsonObject = isObject(webhook.auth) ? webhook.auth : {};
  return { read, kinds, auth };
}

/** Returns path and query in one form, because an address can be percent-encoded in several ways. */
export function addressOf(target: string): string {
  if (!target.startsWith('/')) return target;
  const [path = '', ...query] = target.split('?');
  const segments = new URL(`http://host${path}`).pathname.split('/').map(segmentOf);
  const parameters = [...new URLSearchParams(query.join('?'))].map(([name, value]) => `${name}=${value}`);
  return [segments.join('/'), ...parameters].join('\n');
}

/** Returns a segment of a path in one form. An encoded slash does not separate segments. */
function segmentOf(text: string): string {
  return decoded(text).replaceAll('%', '%25').replaceAll('/', '%2F');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function arrivedAt(delivery: Delivery, address: string): boolean {
  return isSame(addressOf(delivery.path), address);
}

/** A secret that is the value of a parameter of a delivery, and a value in a document that is short enough to stay in clear there. */
const SECRET_VALUE = /=\[secret:[^\]]{1,400}\]$/;
const SHORT_VALUE = /=.{1,15}$/;

export function isSame(delivered: string, served: string): boolean {
  const parts = served.split('\n');
  const came = delivered.split('\n');
  const isMasked = (part: string, other = '') =>
    SECRET_VALUE.test(part) && part.replace(SECRET_VALUE, '') === other.replace(SHORT_VALUE, '');
  return came.length === parts.length && came.every((part, i) => part === parts[i] || isMasked(part, parts[i]));
}
