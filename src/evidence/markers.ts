/** Markers stand for secrets wherever anything is kept or shown: `[secret:apiKey:alice]`. */
import type { RecordedBody, RecordedResponse } from './model';

type SecretKind = 'apiKey' | 'password' | 'header' | 'receiverKey' | 'cookie' | 'secret';

/** Returns the marker that stands for a secret; `form` names how the secret was altered or encoded. */
export function markerOf(kind: SecretKind, name: string, form?: string): string {
  return `[secret:${kind}:${name}${form ? `:${form}` : ''}]`;
}

/** The form of a secret that may be an ordinary word, so that the server may say it without telling the secret. */
export const WORD = 'word';

/** The forms of markers of secrets that are not plain, some only in old evidence. `part`: a word, by chance. */
export const ENCODINGS: ReadonlySet<string> = new Set([
  WORD,
  ...['base64', 'hex', 'base32', 'bytes', 'joined', 'compressed', 'reversed', 'other-case', 'part'],
]);

const MARKER_BEGINS = '[secret:';

/** Matches every marker; groups: kind, name, form. The length of each is bounded, so that search time is linear. */
export const MARKER = /\[secret:([A-Za-z]{1,20}):([^\]:[]{1,200})(?::([^\][]{1,150}))?\]/g;

/** What markers begin with, and in the evidence of earlier versions the note of a body that was not kept. */
export const LOOKALIKES = [MARKER_BEGINS, '[withheld:'];

/** Returns what is recorded of a lookalike that somebody else wrote, so that it is never taken for a marker. */
export function saidByOthers(lookalike: string): string {
  return `[said:${lookalike.slice(1)}`;
}

/** Returns a text with a harmless word for each marker, for checks of form that a marker would disturb. */
export function withoutMarkers(text: string): string {
  return text.replace(MARKER, 'secret');
}

/** A secret that stands somewhere, as its marker tells. */
export interface Secret {
  kind: string;
  name: string;
  form: string | undefined;
}

/** Returns the secrets that a text holds, without words that equal a short secret by chance. */
export function markersIn(text: string): Secret[] {
  if (!text.includes(MARKER_BEGINS)) return [];
  return [...text.matchAll(MARKER)]
    .map(([, kind = '', name = '', form]) => ({ kind, name, form }))
    .filter(({ form }) => form === undefined || !form.split(':').includes('part'));
}

/** Returns the secrets that any part of a response holds: status line, headers, trailers and body. */
export function secretsIn({ response }: { response: RecordedResponse | null }): Secret[] {
  if (response === null) return [];
  const { statusText, headers, aside = [] } = response;
  return markersIn([statusText, ...headers.flat(), ...aside.flat(), searchable(response)].join('\n'));
}

/** Whether the secret itself stands there, encoded or not. In another letter case it is one of our wrong keys. */
export function isTheSecret(form: string | undefined): boolean {
  return form === undefined || form.split(':').every((part) => ENCODINGS.has(part) && part !== 'other-case');
}

/** Why a clause is not judged by a withheld body. */
export const WITHHELD =
  'an answer was too large or too entangled to be searched for secrets within the bound of work, so its body was not kept: the settings of an account are a few kilobytes';

const IS_WITHHELD = /^\[withheld: \d{1,12} bytes, sha256:[0-9a-f]{64}(, nested too deeply)?\]$/;

/** Whether a withheld body was nested too deeply; `null` for a body that was not withheld. */
export function withheldIn(body: string): { isTooDeep: boolean } | null {
  const found = IS_WITHHELD.exec(body);
  return found && { isTooDeep: found[1] !== undefined };
}

/** Returns a body in which markers can be found; of one that is no text, each byte as a character. */
export function searchable({ body, bodyEncoding }: RecordedBody): string {
  return bodyEncoding === 'base64' ? Buffer.from(body, 'base64').toString('latin1') : body;
}
