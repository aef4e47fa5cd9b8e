/** A recorded request as a command line that sends it again. */

import type { RecordedRequest } from '../evidence/exchange';
import { MARKER } from '../evidence/markers';

/** Headers that curl sets by itself, or that change no answer. */
const IMPLIED = new Set(['connection', 'content-length', 'transfer-encoding', 'user-agent']);

/** The request as one curl line for a POSIX shell. Each secret is a `$VARIABLE` that is named after its marker. */
export function curlOf({ method, url, headers }: RecordedRequest): string {
  const words = ['curl', method === 'HEAD' ? '--head' : '-i'];
  if (method !== 'GET' && method !== 'HEAD') words.push('-X', word(method));
  // Without these curl expands brackets and braces in a URL, and removes `.` and `..` from its path.
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

/** The variable that stands for a secret: `[secret:apiKey:with-password]` gives `API_KEY_WITH_PASSWORD`. */
export function variableOf(marker: string): string {
  const name = marker.replace(/^\[secret:/, '').replace(/\]$/, '');
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
}

/** A text as one word of a command line. */
function word(text: string): string {
  const markers = [...text.matchAll(MARKER)].map(([marker]) => marker);
  if (markers.length === 0) return /^[\w@%+=:,./-]+$/.test(text) ? text : single(text);
  // Between two plain parts stand the kind, the name and the form of a marker.
  const plain = text.split(MARKER).filter((_, i) => i % 4 === 0);
  if (!plain.some((part) => /[!"$`\\]/.test(part))) {
    const parts = plain.map((part, i) => part + reference(markers[i], plain[i + 1] ?? ''));
    return `"${parts.join('')}"`;
  }
  return plain.map((part, i) => (part && single(part)) + (markers[i] ? `"${reference(markers[i], '')}"` : '')).join('');
}

/** The variable of a marker, in braces where the next character would be taken for a part of its name. */
function reference(marker: string | undefined, next: string): string {
  if (marker === undefined) return '';
  const name = variableOf(marker);
  return /^\w/.test(next) ? `\${${name}}` : `$${name}`;
}

function single(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
