/** Markers stand for secrets wherever anything is kept or shown: `[secret:apiKey:alice]`. */

export type SecretKind = 'apiKey' | 'password' | 'header' | 'receiverKey' | 'cookie';

/** The marker that stands for a secret; `form` names how it was altered or encoded. */
export function markerOf(kind: SecretKind, name: string, form?: string): string {
  return `[secret:${kind}:${name}${form ? `:${form}` : ''}]`;
}

/**
 * What the search adds to a marker where a secret did not stand as it is or escaped. `part`: a word of a text that is
 * a short secret by chance.
 */
export const ENCODINGS: ReadonlySet<string> = new Set([
  ...['base64', 'hex', 'base32', 'bytes', 'joined', 'compressed', 'reversed', 'other-case', 'part'],
]);

/** Matches every marker; groups: kind, name, form. No part of one is longer than this, so that a search is linear. */
export const MARKER = /\[secret:([A-Za-z]{1,20}):([^\]:[]{1,200})(?::([^\][]{1,150}))?\]/g;

/** A text in which each marker became a harmless word, for checks of form that a marker would disturb. */
export function withoutMarkers(text: string): string {
  return text.replace(MARKER, 'secret');
}

/** The secrets that a text holds. A word in it that is a short secret by chance is none. */
export function markersIn(text: string): Array<{ kind: string; name: string; form: string | undefined }> {
  return [...text.matchAll(MARKER)]
    .map(([, kind = '', name = '', form]) => ({ kind, name, form }))
    .filter(({ form }) => form === undefined || !form.split(':').includes('part'));
}

/**
 * Whether a secret itself stands there, encoded or not. In another letter case it is one of the wrong keys that the
 * suite sends.
 */
export function isTheSecret(form: string | undefined): boolean {
  return form === undefined || form.split(':').every((part) => ENCODINGS.has(part) && part !== 'other-case');
}

/** A body in which markers can be found: the bytes of one that is no text, each as a character. */
export function searchable({ body, bodyEncoding }: { body: string; bodyEncoding: 'utf8' | 'base64' }): string {
  return bodyEncoding === 'base64' ? Buffer.from(body, 'base64').toString('latin1') : body;
}
