/** The members of the settings document and the form of its URLs (API description, section 2.1). */
import settingsSchema from '#schemas/webhook-settings.schema.json';
import { MARKER_BEGINS, withoutMarkers } from '../redaction/markers';

/** The notification kinds. */
export const KINDS = ['start', 'submission', 'updates'] as const;
export type Kind = (typeof KINDS)[number];

const KIND_MEMBERS = ['status', 'url'] as const;

/** The described members of each object, by its path below `webhook`. The empty path is `webhook` itself. */
export const MEMBERS = {
  '': [...KINDS, 'auth'],
  start: KIND_MEMBERS,
  submission: KIND_MEMBERS,
  updates: KIND_MEMBERS,
  auth: ['status', 'type', 'basic', 'apikey'],
  'auth.basic': ['username', 'password', 'hasPassword'],
  'auth.apikey': ['header', 'apikey'],
} as const satisfies Record<string, readonly string[]>;

/** The path of a described object, such as `auth.basic`. */
export type MemberPath = keyof typeof MEMBERS;

export function isMemberPath(path: string): path is MemberPath {
  return Object.hasOwn(MEMBERS, path);
}

/** Returns the path of a member, by the path of the object that holds it. Either may be empty. */
export function pathOf(holder: string, member: string): string {
  return [holder, member].filter(Boolean).join('.');
}

/** Returns the paths of an object's described members. */
export function pathsIn(path: MemberPath): string[] {
  return MEMBERS[path].map((member) => pathOf(path, member));
}

/** The names of all described members. */
export const MEMBER_NAMES: ReadonlySet<string> = new Set(['webhook', ...Object.values(MEMBERS).flat()]);

const URL_FORM = new RegExp(settingsSchema.$defs.url.pattern, 'u');

/** Whether a URL's host name is this machine's own. */
export function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|\[::1\]|127(?:\.\d+){3})$/.test(hostname);
}

/**
 * Whether a text is an absolute http or https URL or IRI (RFC 3987) with a host and without white space. A marker at its
 * beginning may stand for scheme and host.
 */
export function isHttpUrl(text: string): boolean {
  const plain = withoutMarkers(text.startsWith(MARKER_BEGINS) ? `https://${text}` : text);
  return URL_FORM.test(plain) && urlOf(plain) !== null;
}

/** Returns a text as an absolute URL; `null` if it is none. `URL.canParse` of Node 20 and 22 fails at times with umlauts. */
export function urlOf(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
