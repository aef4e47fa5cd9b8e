/** A recorded request as people repeat it. */
import type { RecordedRequest } from '../evidence/exchange';
import { MARKER } from '../evidence/markers';

/** What curl sends in its own way, or what no answer turns on, so that repeating it would only be noise. */
const IMPLIED = new Set(['connection', 'content-length', 'transfer-encoding', 'user-agent']);

/** The request as one command line for a POSIX shell; each secret is a `$VARIABLE` named after its marker. */
export function curlOf({ method, url, headers }: RecordedRequest): string {
  const words = ['curl', method === 'HEAD' ? '--head' : '-i'];
  if (method !== 'GET' && method !== 'HEAD') words.push('-X', word(method));
  // curl expands brackets and braces in a URL, and tidies dots away.
  if (/[[\]{}]/.test(url)) words.push('--globoff');
  if (/\/\.\.?(?:[/?]|$)/.test(url)) words.push('--path-as-is');
  const host = /^\w+:\/\/([^/?#]*)/.exec(url)?.[1];
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (
      IMPLIED.has(key) ||
      (key === 'host' && value === host) ||
      (key === 'accept' && /^(?:\*\/\*|application\/json)$/.test(value))
    )
      continue;
    if (key === 'accept-encoding') words.push('--compressed');
    // For curl, `name:` removes a header and `name;` sends it empty.
    else words.push('-H', word(value === '' ? `${name};` : `${name}: ${value}`));
  }
  return [...words, word(url)].join(' ');
}

/** `[secret:apiKey:with-password]` is `API_KEY_WITH_PASSWORD`. */
export function variableOf(marker: string): string {
  const name = marker.replace(/^\[secret:/, '').replace(/\]$/, '');
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
}

function word(text: string): string {
  const markers = [...text.matchAll(MARKER)].map(([marker]) => marker);
  if (markers.length === 0) return /^[\w@%+=:,./-]+$/.test(text) ? text : single(text);
  const plain = text.split(new RegExp(markers.map((m) => m.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')));
  if (!plain.some((part) => /[!"$`\\]/.test(part))) {
    const parts = plain.map((part, i) => part + reference(markers[i], plain[i + 1] ?? ''));
    return `"${parts.join('')}"`;
  }
  return plain.map((part, i) => (part && single(part)) + (markers[i] ? `"${reference(markers[i], '')}"` : '')).join('');
}

function reference(marker: string | undefined, next: string): string {
  if (marker === undefined) return '';
  const name = variableOf(marker);
  return /^\w/.test(next) ? `\${${name}}` : `$${name}`;
}

function single(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
