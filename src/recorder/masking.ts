/**
 * The door: the vault of one run. It knows the declared secrets, learns those that only the server knows (receivers' keys
 * and cookies), and masks every part of exchanges and deliveries before anything is recorded of them.
 */
import { isUtf8 } from 'node:buffer';
import { nameOf, type Probe } from '../catalogue/catalogue';
import { jsonOf } from '../common/json';
import { utf8OrLatin1 } from '../common/text';
import type { RawDelivery, Target } from '../config/target';
import { urlOf } from '../contract/settings';
import { linesOf } from '../evidence/http/headers';
import { type Json, memberAt, parsed, stringsIn } from '../evidence/http/json';
import type { BasicCredentials, HeaderLines, RecordedBody } from '../evidence/model';
import { WHOLE_VALUE_BELOW } from '../redaction/encodings';
import { MARKER, markerOf } from '../redaction/markers';
import {
  headerWithoutUndeclared,
  mayBeSecret,
  NO_PASSWORD,
  UNDECLARED,
  withoutUndeclared,
} from '../redaction/undeclared';
import { Vault } from '../redaction/vault';
import { decode } from './transport/answer';
import { userOf, type WireOutcome } from './transport/wire';

/** Other header lines have words and numbers of HTTP, which may equal a short password. */
const IS_OF_THE_SERVER = /^x-(?!ratelimit-)/i;
const USERNAME = 'webhook.auth.basic.username';
/** The most bytes that are recorded of a body that was sent. */
const MOST_SENT = 65_536;

export class Masking extends Vault {
  /** By receivers' usernames that the server has returned, each masked. */
  private readonly usernames = new Map([['', '']]);

  constructor(
    private readonly accounts: Target['accounts'],
    headers: Target['headers'],
    identity?: Target['identity'],
  ) {
    super();
    // Line breaks of base64 are read.
    this.add(markerOf('clientCertificate', 'key'), identity?.key.replace(/-----.*-----|\s/g, '') ?? '');
    this.add(markerOf('clientCertificate', 'passphrase'), identity?.passphrase ?? '');
    for (const { name, apiKey, password = '', settings } of accounts) {
      this.add(markerOf('apiKey', name), apiKey);
      this.add(markerOf('password', name), password);
      this.learnFrom((settings ?? null) as Json, name);
    }
    for (const [name, value] of headers) this.add(markerOf('header', name), value);
  }

  /** Learns the secrets in an answer, its cookies and the receiver's key, and masks its body. One with too much of them is left out. */
  answerBody({ head, body }: WireOutcome, probe: Probe, account: string | null): RecordedBody {
    const cookies = linesOf(head?.headers ?? [], 'Set-Cookie').map((value) => value.split(';')[0]);
    if (cookies.length > 0) this.reserve(cookiesFrom(probe), cookies.join('; '));
    const text = utf8OrLatin1(body);
    const shown = (MAY_TEACH.test(text) && (jsonOf(text) as Json)) || null;
    const recorded = this.body(this.learnFrom(shown, account ?? 'unknown') ? body : Buffer.alloc(0));
    const [username, masked] = [shown, parsed(recorded)].map((document) => memberAt(document, USERNAME));
    if (typeof username === 'string' && typeof masked === 'string') this.usernames.set(username, masked);
    return recorded;
  }

  /** Masks a body that was sent, decoded as an answer's is. Nothing is recorded of a long one, or of one that cannot be decoded. */
  sentBody(sent: Buffer, headers: HeaderLines = []): RecordedBody {
    const decoded = decode(sent, headers, MOST_SENT);
    return this.body('body' in decoded && decoded.body.length <= MOST_SENT ? decoded.body : Buffer.alloc(0));
  }

  /** Masks header lines that somebody else wrote. */
  lines(lines: HeaderLines): HeaderLines {
    return lines.map(([name, value]) => {
      const masked = headerWithoutUndeclared(name, this.bytes(value, !IS_OF_THE_SERVER.test(name)));
      return [this.bytes(name, true), name.toLowerCase() === 'set-cookie' ? withoutCookie(masked) : masked];
    });
  }

  /** Masks the parts of a delivery that its sender chose. */
  delivery(raw: RawDelivery): RecordedBody & { path: string; headers: HeaderLines; basic: BasicCredentials[] } {
    return {
      path: decoded(this.bytes(raw.path)),
      headers: this.lines(raw.headers).map(([name, value]) => [decoded(name), decoded(value)]),
      ...this.body(raw.body),
      basic: this.basicCredentials(raw.headers),
    };
  }

  /**
   * Returns each way to split the Basic credentials of a delivery (RFC 7617): before each declared password that they end
   * with, in UTF-8 or Latin-1, and at the first colon. Returns none unless there is exactly one `Authorization` line and
   * it is `Basic` with well-formed base64. A username is recorded only if the server has returned it.
   */
  private basicCredentials(headers: HeaderLines): BasicCredentials[] {
    const text = basicTextIn(headers);
    if (!text.includes(':')) return [];
    const split = (at: number, password: string) => ({
      username: this.usernames.get(text.slice(0, at)) ?? null,
      password,
    });
    const declared = this.accounts.flatMap(({ name, password }) =>
      password !== undefined && text.endsWith(`:${password}`)
        ? [split(text.length - password.length - 1, markerOf('password', name))]
        : [],
    );
    const colon = text.indexOf(':');
    const rest = text.slice(colon + 1);
    return [...declared, split(colon, NO_PASSWORD.has(rest) ? rest : markerOf('password', UNDECLARED))];
  }

  /**
   * Learns the secrets that settings show: the receiver's key of an account, and the `user:password` of addresses.
   * @returns whether all are looked for
   */
  private learnFrom(settings: Json, account: string): boolean {
    const marker = markerOf('receiverKey', account);
    const number = memberAt(settings, 'webhook.auth.apikey.apikey');
    if (Number(number) > 999) this.learn(marker, String(number));
    return [...stringsIn(settings)].every(({ path, text }) => {
      const isKey = /(?:^|\.)apikey\.apikey(?:\.|$)/.test(path) && mayBeSecret(text);
      const secret = isKey ? text : this.credentialsIn(text);
      return secret === null || this.learn(marker, secret);
    });
  }

  /**
   * Returns the `user:password` of an address; a short one with its host, because alone it may stand anywhere by chance.
   * A declared password in it is masked as that, for it is a leak.
   */
  private credentialsIn(address: string): string | null {
    const url = urlOf(address);
    const user = url && userOf(url);
    if (!url || !user || PASSWORD_IN_ADDRESS.test(this.maskText(address))) return null;
    return user.length < WHOLE_VALUE_BELOW ? `${url.username}:${url.password}@${url.host}` : user;
  }

  private body(bytes: Buffer): RecordedBody {
    const masked = this.mask(bytes);
    const text = withoutUndeclared(utf8OrLatin1(masked));
    return isUtf8(masked)
      ? { body: text, bodyEncoding: 'utf8' }
      : { body: Buffer.from(text, 'latin1').toString('base64'), bodyEncoding: 'base64' };
  }

  /** Masks a text in which each character stands for one byte. */
  private bytes(text: string, isProtocol = false): string {
    return this.mask(Buffer.from(text, 'latin1'), isProtocol).toString('latin1');
  }
}

/** A text that can hold a receiver's key or username, or an address with a user. */
const MAY_TEACH = /apikey|basic|@|\\/;

const PASSWORD_IN_ADDRESS = /:\[secret:password:[^\]]+\]@/;

/** Returns the marker of a `Cookie` line with all cookies that the answer to a probe set. */
export function cookiesFrom(probe: Probe): string {
  return markerOf('cookie', nameOf(probe));
}

/** A cookie's value may open a session, so it is masked even if it is no known secret. */
function withoutCookie(line: string): string {
  return line.replace(/^([^=;]{0,200}=|(?=[^=;]*(?:;|$)))([^;]{8,})/, (cookie, called: string, held: string) =>
    held.match(MARKER) ? cookie : called + markerOf('cookie', called.replace(/[^\w-]/g, '') || 'nameless'),
  );
}

function decoded(text: string): string {
  return utf8OrLatin1(Buffer.from(text, 'latin1'));
}

function basicTextIn(headers: HeaderLines): string {
  const [line = '', another] = linesOf(headers, 'Authorization');
  const [, encoded] = /^basic +(\S+)$/i.exec(line) ?? [];
  const bytes = Buffer.from(encoded ?? '', 'base64');
  return another === undefined && bytes.toString('base64') === encoded ? utf8OrLatin1(bytes) : '';
}
