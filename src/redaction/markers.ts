/** Markers stand for secrets wherever anything is recorded or shown: `[secret:apiKey:alice]`. */

type SecretKind = 'apiKey' | 'password' | 'header' | 'receiverKey' | 'cookie' | 'clientCertificate';

/** Returns the marker that stands for a secret; `form` names how the secret was altered or encoded. */
export function markerOf(kind: SecretKind, name: string, form?: string): string {
  return `[secret:${kind}:${name}${form ? `:${form}` : ''}]`;
}

/** The form of a secret that may be an ordinary word, which a server may send without disclosing the secret. */
export const WORD = 'word';

export const MARKER_BEGINS = '[secret:';

/** Matches every marker; groups: kind, name, form. The length of each is bounded, so that search time is linear. */
export const MARKER = /\[secret:([A-Za-z]{1,20}):([^\]:[]{1,200})(?::([^\][]{1,150}))?\]/g;

/** What is recorded in place of the beginning of a marker that somebody else wrote, so that it is never taken for one. */
export const LOOKALIKE = `[said:${MARKER_BEGINS.slice(1)}`;

/** Returns a text with a harmless word for each marker, for checks of form that a marker would disturb. */
export function withoutMarkers(text: string): string {
  return text.replace(MARKER, 'secret');
}

/** Whether two masked texts may stand for the same one: a secret that was learnt in between is a marker in one of them alone. */
export function mayBeSame(one: string, other: string): boolean {
  return one === other || fits(one, other) || fits(other, one);
}

/** Whether a text is another one in which each marker stands for itself, or for anything without a marker. */
function fits(text: string, other: string): boolean {
  const markers = other.match(MARKER) ?? [];
  // Each marker is split off with its three groups.
  const parts = other.split(MARKER).filter((_, i) => i % 4 === 0);
  let end = 0;
  return parts.every((part, i) => {
    const at = i === 0 ? 0 : i === parts.length - 1 ? text.length - part.length : text.indexOf(part, end);
    const held = text.slice(end, at);
    const isHeld = i === 0 || held === markers[i - 1] || held.match(MARKER) === null;
    const isThere = at >= end && text.startsWith(part, at) && isHeld;
    end = at + part.length;
    return isThere && (i < parts.length - 1 || end === text.length);
  });
}

/** A secret that stands somewhere, as its marker names it. */
export interface Secret {
  kind: string;
  name: string;
  form: string | undefined;
}

/** Returns the secrets that a text holds, each once, without words that equal a short secret by chance. */
export function markersIn(text: string): Secret[] {
  const found = new Map<string, Secret>();
  for (const [marker, kind = '', name = '', form] of text.matchAll(MARKER))
    if (!form?.split(':').includes('part')) found.set(marker, { kind, name, form });
  return [...found.values()];
}

/** Whether the secret itself stands there, encoded or not: one in another letter case is a wrong key. @param form of its marker */
export function isTheSecret(form: string | undefined): boolean {
  return [undefined, WORD, 'base64', 'hex'].includes(form);
}
