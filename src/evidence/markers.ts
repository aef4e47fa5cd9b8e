/** Markers stand for secrets wherever anything is kept or shown: `[secret:apiKey:alice]`. */

type SecretKind = 'apiKey' | 'password' | 'header' | 'receiverKey' | 'cookie';

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

/**
 * What stands for a body that could not be searched within its bound of work.
 * @param sha256 in hexadecimal digits
 * @param isTooDeep what was seen of it all the same: it opens more brackets within one another than JSON may here
 */
export function withheldOf(bytes: number, sha256: string, isTooDeep: boolean): string {
  return `[withheld: ${bytes} bytes, sha256:${sha256}${isTooDeep ? ', nested too deeply' : ''}]`;
}

/** Why a clause is not judged by such a body. */
export const WITHHELD =
  'an answer was too large or too entangled to be searched for secrets within the bound of work, so its body was not kept: the settings of an account are a few kilobytes';

const IS_WITHHELD = /^\[withheld: \d{1,12} bytes, sha256:[0-9a-f]{64}(, nested too deeply)?\]$/;

/** Whether a body was withheld, and whether it was nested too deeply; `null` for one that was not. */
export function withheldIn(body: string): { isTooDeep: boolean } | null {
  const found = IS_WITHHELD.exec(body);
  return found && { isTooDeep: found[1] !== undefined };
}

/** A body in which markers can be found: the bytes of one that is no text, each as a character. */
export function searchable({ body, bodyEncoding }: { body: string; bodyEncoding: 'utf8' | 'base64' }): string {
  return bodyEncoding === 'base64' ? Buffer.from(body, 'base64').toString('latin1') : body;
}
