/**
 * The vault of one run. It knows the declared secrets, learns those that only the server knows (receivers' keys and
 * cookies), and masks every part of exchanges and deliveries.
 */
import { isUtf8 } from 'node:buffer';
import { type Probe, sendingOf } from '../catalogue/probe';
import { utf8OrLatin1 } from '../common/text';
import type { Account, RawDelivery, Target } from '../config/target';
import { linesOf } from '../evidence/http/headers';
import { memberAt, parsed, settingsIn } from '../evidence/http/json';
import type { BasicCredentials, HeaderLines, KeyHolder, RecordedBody } from '../evidence/model';
import { MARKER, markerOf } from '../redaction/markers';
import type { Manner } from '../redaction/spans';
import {
  headerWithoutUndeclared,
  LOOKED_FOR_FROM,
  NO_PASSWORD,
  UNDECLARED,
  withoutCredentials,
  withoutUndeclared,
} from '../redaction/undeclared';
import { Vault } from '../redaction/vault';
import { hasWordsOfTheProtocol, isNameOfTheProtocol } from '../redaction/words';
import { decode } from './transport/content-coding';
import type { WireOutcome } from './transport/wire';

/** The most bytes that are recorded of a body that was sent. */
const MOST_SENT = 65_536;
/** The most bytes to which a body that was sent is decoded. */
const MOST_DECODED = 16 * 2 ** 20;
/** For what was masked before. */
const MASKED: Manner = { isMasked: true };

export class Masking extends Vault {
  /** Receivers' usernames that the server has returned, masked. */
  private readonly usernames = new Set(['']);

  constructor(
    private readonly accounts: Target['accounts'],
    headers: Target['headers'],
    identity?: Target['identity'],
  ) {
    super();
    if (identity) {
      this.add(markerOf('clientCertificate', 'key'), bodyOfPem(identity.key));
      this.add(markerOf('clientCertificate', 'passphrase'), identity.passphrase ?? '');
    }
    for (const { marker, value } of secretsOf({ accounts, headers })) this.add(marker, value);
    for (const { name, settings } of accounts) this.learnUser(memberAt(settings, 'auth.basic.username'), name);
  }

  /**
   * Learns the secrets in an answer, its cookies and the receiver's key, and masks its body. If a broken answer ends in
   * the beginning of a secret, that beginning is cut off.
   */
  answerBody({ head, body, fault }: WireOutcome, probe: Probe, account: KeyHolder): RecordedBody {
    const cookies = linesOf(head?.headers ?? [], 'Set-Cookie').map((value) => value.split(';')[0]);
    if (cookies.length > 0) this.addForSending(cookiesFrom(probe), cookies.join('; '));
    const known = this.size;
    const masked = () => withoutUndeclaredIn(fault ? this.maskCut(body) : this.mask(body), account ?? 'unknown');
    const { bytes, found } = masked();
    for (const { marker, value } of found) this.learn(marker, value);
    if (account !== null) this.learnUser(usernameIn(bodyOf(bytes)), account);
    // What was learnt is masked as it will be in later answers: reads that say the same stay the same.
    const recorded = bodyOf(this.size > known ? masked().bytes : bytes);
    const username = usernameIn(recorded);
    if (typeof username === 'string') this.usernames.add(username);
    return recorded;
  }

  /** Masks a body that was sent, decoded as an answer's is, or the beginning of a long one. What cannot be decoded is left out. */
  sentBody(sent: Buffer, headers: HeaderLines = []): RecordedBody {
    const decoded = decode(sent, headers, MOST_DECODED);
    const body = 'body' in decoded ? decoded.body : Buffer.alloc(0);
    const isWhole = body.length <= MOST_SENT;
    return bodyOf(isWhole ? this.mask(body) : this.maskCut(body.subarray(0, MOST_SENT)));
  }

  /** Masks header lines that somebody else wrote. */
  lines(lines: HeaderLines, manner: Manner = {}): HeaderLines {
    return lines.map(([name, value]) => [this.name(name, manner), this.answerValue(name, value, manner)]);
  }

  /** Masks the parts of a delivery that its sender chose. An undeclared password in them is masked as well. */
  delivery(raw: RawDelivery): RecordedBody & { path: string; headers: HeaderLines; basic: BasicCredentials[] } {
    const { credentials, undeclared } = basicCredentialsOf(raw.headers, this.accounts);
    const basic = credentials.map(({ username, password }) => {
      // Masked as a member of JSON, as in settings: in other text a short password is replaced also as a word of several.
      const masked = String(memberAt(parsed(this.maskText(JSON.stringify({ username }))), 'username'));
      return { username: this.usernames.has(masked) ? masked : null, password };
    });
    const here = new Vault();
    if (undeclared !== null) here.add(markerOf('password', UNDECLARED), undeclared);
    const mask = (bytes: Buffer) => here.mask(this.mask(bytes), MASKED);
    const maskBytes = (text: string) => utf8OrLatin1(mask(Buffer.from(text, 'latin1')));
    return {
      path: maskBytes(raw.path),
      headers: raw.headers.map(([name, value]) => [
        isNameOfTheProtocol(name) ? name : maskBytes(name),
        withoutCredentials(name, headerWithoutUndeclared(name, maskBytes(value))),
      ]),
      ...bodyOf(withoutUndeclaredIn(mask(raw.body)).bytes),
      basic,
    };
  }

  /** Learns what an account's receiver is sent, so that a short password is found in it as well. */
  private learnUser(username: unknown, account: string): void {
    const password = this.accounts.find(({ name }) => name === account)?.password;
    if (password && typeof username === 'string')
      this.learn(markerOf('password', account, 'basic'), `${username}:${password}`);
  }

  /** Masks a header value. A cookie's value may open a session, so it is masked even if it is no known secret. */
  private answerValue(name: string, value: string, manner: Manner): string {
    const isProtocol = hasWordsOfTheProtocol(name);
    const masked = headerWithoutUndeclared(name, this.bytes(value, isProtocol ? { ...manner, isProtocol } : manner));
    if (name.toLowerCase() !== 'set-cookie') return masked;
    return masked.replace(/^([^=;]{0,200}=|(?=[^=;]*(?:;|$)))([^;]{8,})/, (cookie, called: string, held: string) =>
      held.match(MARKER) ? cookie : called + markerOf('cookie', called.replace(/[^\w-]/g, '') || 'nameless'),
    );
  }

  /** Masks the name of a header line, unless every server says it. */
  private name(name: string, manner: Manner): string {
    return isNameOfTheProtocol(name) ? name : this.bytes(name, manner);
  }

  /** Masks a text in which each character stands for one byte. */
  private bytes(text: string, manner: Manner = {}): string {
    return this.mask(Buffer.from(text, 'latin1'), manner).toString('latin1');
  }
}

/** Returns the base64 of a private key without its line breaks, with and without which it is searched for. */
function bodyOfPem(pem: string): string {
  return pem.replace(/-----.*-----|\s/g, '');
}

/** Returns what a target declares to be secret. */
function secretsOf({ accounts, headers }: Pick<Target, 'accounts' | 'headers'>) {
  return [
    ...accounts.flatMap(({ name, apiKey, password = '', settings }) => [
      { marker: markerOf('apiKey', name), value: apiKey },
      { marker: markerOf('password', name), value: password },
      ...withoutUndeclared(JSON.stringify({ webhook: settings }), name).found,
    ]),
    ...headers.map(([name, value]) => ({ marker: markerOf('header', name), value })),
  ];
}

/** Returns the marker of a `Cookie` line with all cookies that the answer to a probe set. */
export function cookiesFrom(probe: Probe): string {
  return markerOf('cookie', sendingOf(probe));
}

function withoutUndeclaredIn(bytes: Buffer, account?: string) {
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const { text, found } = withoutUndeclared(bytes.toString(encoding), account);
  return { bytes: Buffer.from(text, encoding), found };
}

function usernameIn({ body }: RecordedBody): unknown {
  return memberAt(settingsIn(body), 'auth.basic.username');
}

function bodyOf(bytes: Buffer): RecordedBody {
  const bodyEncoding = isUtf8(bytes) ? 'utf8' : 'base64';
  return { body: bytes.toString(bodyEncoding), bodyEncoding };
}

type Credentials = BasicCredentials & { username: string };

/**
 * Returns each way to split the Basic credentials of a delivery (RFC 7617): before each declared password that they end
 * with, in UTF-8 or Latin-1, and at the first colon. Returns none unless there is exactly one `Authorization` line and
 * it is `Basic` with well-formed base64.
 * @returns `undeclared` is an undeclared password, if it is long enough to be searched for in the rest of the delivery
 */
export function basicCredentialsOf(
  headers: HeaderLines,
  accounts: readonly Account[],
): { credentials: Credentials[]; undeclared: string | null } {
  const text = basicTextIn(headers);
  if (!text.includes(':')) return { credentials: [], undeclared: null };
  const declared = accounts.flatMap(({ name, password }): Credentials[] => {
    const ending = `:${password}`;
    if (password === undefined || !text.endsWith(ending)) return [];
    return [{ username: text.slice(0, -ending.length), password: markerOf('password', name) }];
  });
  const [username = ''] = text.split(':', 1);
  const rest = text.slice(username.length + 1);
  const isNone = NO_PASSWORD.has(rest);
  const isLookedFor = declared.length === 0 && !isNone && Buffer.byteLength(rest) >= LOOKED_FOR_FROM;
  return {
    credentials: [...declared, { username, password: isNone ? rest : markerOf('password', UNDECLARED) }],
    undeclared: isLookedFor ? rest : null,
  };
}

/** Returns the Basic credentials of the one `Authorization` line, decoded; empty if there is no such line. */
function basicTextIn(headers: HeaderLines): string {
  const [line = '', another] = linesOf(headers, 'Authorization');
  const [, encoded] = /^basic +(\S+)$/i.exec(line) ?? [];
  const bytes = Buffer.from(encoded ?? '', 'base64');
  return another === undefined && bytes.toString('base64') === encoded ? utf8OrLatin1(bytes) : '';
}
