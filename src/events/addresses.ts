/** Where the notifications of an account should arrive, and whether a request came there. */
import { KINDS } from '../contract/settings';
import { isObject, type JsonObject, memberAt, settingsIn } from '../evidence/http/json';
import { isHttpUrl } from '../evidence/http/url';
import type { Delivery, Evidence, Kind } from '../evidence/model';
import { declaredOf, describedOf, differences, ownReads } from '../evidence/settings-reads';
import { MARKER, WORD } from '../redaction/markers';

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

/** A secret up to this length is replaced anywhere in a delivery, but in a document only as a whole value. */
const LONGEST_SHORT_SECRET = 7;
/** The forms of its marker, one or both. */
const FORMS_OF_SHORT: ReadonlySet<string> = new Set([WORD, 'part']);
/** A text with more markers does not come from the settings, and each marker multiplies the comparisons. */
const MOST_MARKERS = 50;

/** Whether a delivered text equals a served one, in which a short secret or an ordinary word may stand in clear. */
export function isSame(delivered: string, served: string): boolean {
  if (delivered === served) return true;
  let from = 0;
  /** Where in `served` the part of `delivered` that is compared by now may end. */
  let ends = [0];
  const markers = [...delivered.matchAll(MARKER)];
  if (markers.length > MOST_MARKERS) return false;
  for (const { 0: marker, 3: form, index } of markers) {
    const starts = endsAfter(delivered.slice(from, index), ends, served);
    const isShort = form === undefined || form.split(':').every((part) => FORMS_OF_SHORT.has(part));
    const longest = isShort ? LONGEST_SHORT_SECRET : 0;
    const inClear = starts.flatMap((start) => Array.from({ length: longest }, (_, i) => start + i + 1));
    const reached = [...endsAfter(marker, starts, served), ...inClear.filter((end) => end <= served.length)];
    ends = [...new Set(reached)];
    from = index + marker.length;
  }
  return from > 0 && endsAfter(delivered.slice(from), ends, served).includes(served.length);
}

/** The ends of a text in `served`, for each start at which it stands there. */
function endsAfter(text: string, starts: readonly number[], served: string): number[] {
  return starts.filter((start) => served.startsWith(text, start)).map((start) => start + text.length);
}
