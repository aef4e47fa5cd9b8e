/** Words that every server of this API sends, whoever its accounts are: they disclose no secret that equals one. */
import { METHODS, STATUS_CODES } from 'node:http';

/** Fields whose values are words and numbers of HTTP or of section 8 of the API description. */
const FIELDS_OF_WORDS = [
  ...['Date', 'Age', 'Expires', 'Last-Modified', 'Server', 'Connection', 'Keep-Alive', 'Allow', 'Vary'],
  ...['Content-Type', 'Content-Length', 'Content-Encoding', 'Content-Language', 'Transfer-Encoding', 'Cache-Control'],
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'],
  ...['WWW-Authenticate', 'Strict-Transport-Security'],
];
const FAMILIES_OF_WORDS = /^(?:(?:x-)?ratelimit-.*|access-control-.*)$/i;
/** Fields of HTTP that hold anything. */
const OTHER_FIELDS = [
  ...['Authorization', 'Proxy-Authorization', 'Cookie', 'Set-Cookie', 'Location', 'ETag', 'Link', 'Via', 'Trailer'],
  ...['Accept', 'Accept-Encoding', 'Host', 'User-Agent', 'Expect', 'Upgrade'],
];
const FIELDS = new Set([...FIELDS_OF_WORDS, ...OTHER_FIELDS].map((name) => name.toLowerCase()));
const WORD_FIELDS = new Set(FIELDS_OF_WORDS.map((name) => name.toLowerCase()));

/** Words within the values of fields. */
const WORDS_OF_FIELDS = [
  ...['application', 'charset', 'utf-8', 'chunked', 'gzip', 'deflate', 'identity', 'private', 'public', 'no-cache'],
  ...['no-store', 'max-age', 'must-revalidate', 'timeout'],
];
/** The members of the settings (API description, section 2.1). */
export const MEMBERS = [
  ...['webhook', 'start', 'submission', 'updates', 'auth', 'status', 'url', 'type', 'basic', 'apikey'],
  ...['username', 'password', 'hasPassword', 'header'],
];
/** Schemes of authentication, as in `auth.type`. */
const SCHEMES = ['bearer', 'digest', 'api-key', 'api_key', 'token', 'oauth', 'oauth2', 'hmac', 'none'];

const WORDS = new Set(
  [
    ...Object.values(STATUS_CODES).flatMap((phrase = '') => phrase.split(' ')),
    ...[...FIELDS].flatMap((name) => [name, ...name.split('-')]),
    ...[...METHODS, ...MEMBERS, 'webhooks', 'http', 'https', 'json', 'true', 'false', 'null'],
    ...[...WORDS_OF_FIELDS, ...SCHEMES],
  ].map((word) => word.toLowerCase()),
);

/** Whether a secret is a word of HTTP or of the settings, which as it is discloses nothing. */
export function isOfTheProtocol(secret: string): boolean {
  return WORDS.has(secret.toLowerCase());
}

/** Whether this is the name of a field of HTTP, or of section 8 of the API description. */
export function isNameOfTheProtocol(name: string): boolean {
  return FIELDS.has(name.toLowerCase());
}

/** Whether a field of this name has words and numbers of the protocol as its value. */
export function hasWordsOfTheProtocol(name: string): boolean {
  return WORD_FIELDS.has(name.toLowerCase()) || FAMILIES_OF_WORDS.test(name);
}
