/** The shape of the settings document (API description, section 2.1): the one place that names its members. */

/** The kinds of notification. */
export const KINDS = ['start', 'submission', 'updates'] as const;
export type Kind = (typeof KINDS)[number];

const KIND_MEMBERS = ['status', 'url'] as const;

/** The described members of each object below `webhook`, by its path; the empty path is `webhook` itself. */
export const MEMBERS = {
  '': [...KINDS, 'auth'],
  start: KIND_MEMBERS,
  submission: KIND_MEMBERS,
  updates: KIND_MEMBERS,
  auth: ['status', 'type', 'basic', 'apikey'],
  'auth.basic': ['username', 'password', 'hasPassword'],
  'auth.apikey': ['header', 'apikey'],
} as const satisfies Record<string, readonly string[]>;

/** Where an object of the document stands, such as `auth.basic`. */
export type MemberPath = keyof typeof MEMBERS;

export function isMemberPath(path: string): path is MemberPath {
  return Object.hasOwn(MEMBERS, path);
}

/** Every name that a described member has. */
export const MEMBER_NAMES: ReadonlySet<string> = new Set(['webhook', ...Object.values(MEMBERS).flat()]);
