/** Markers stand for secrets wherever anything is kept or shown: `[secret:apiKey:alice]`. */

export type SecretKind = 'apiKey' | 'password' | 'header' | 'receiverKey' | 'cookie';

/** The marker that stands for a secret; `form` names how it was altered or encoded. */
export function markerOf(kind: SecretKind, name: string, form?: string): string {
  return `[secret:${kind}:${name}${form ? `:${form}` : ''}]`;
}

/** Matches every marker; groups: kind, name, form. */
export const MARKER = /\[secret:([A-Za-z]+):([^\]:]+)(?::([^\]]+))?\]/g;

/** A text in which each marker became a harmless word, for checks of form that a marker would disturb. */
export function withoutMarkers(text: string): string {
  return text.replace(MARKER, 'secret');
}

/** The secrets that a text holds. A word in it that is a short secret by chance is none. */
export function markersIn(text: string): Array<{ kind: string; name: string; form: string | undefined }> {
  return [...text.matchAll(MARKER)]
    .map(([, kind = '', name = '', form]) => ({ kind, name, form }))
    .filter(({ form }) => form !== 'part');
}
