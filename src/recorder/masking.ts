/**
 * The vault of one run: knows the declared secrets, learns those that only the server knew before (the receiver's key,
 * and cookies), and masks each part of exchanges and deliveries.
 */
import { isUtf8 } from 'node:buffer';
import type { BasicCredentials, HeaderLines, KeyHolder, RecordedBody } from '../evidence/exchange';
import { linesOf } from '../evidence/headers';
import { memberAt, parsed, webhookIn } from '../evidence/json';
import { MARKER, markerOf } from '../evidence/markers';
import { nameOf, type Probe } from '../evidence/probe';
import type { RawDelivery } from '../target/receiver';
import type { Target } from '../target/target';
import { authorizationKept, basicCredentialsOf, textOf } from './credentials';
import { LONGEST_RECEIVER_KEY, UNDECLARED, withoutUndeclared } from './vault/undeclared';
import { Vault } from './vault/vault';
import type { WireOutcome } from './wire/wire';

/** Bytes of a body that was sent: as many are recorded. */
const MOST_SENT = 65_536;
/** Strings and numbers in the place of a receiver's key: as many are secrets. */
const MOST_LEAVES = 100;

export class Masking extends Vault {
  /** User names of receivers that accounts are known to have. */
  private readonly usernames = new Set(['']);

  constructor(
    private readonly accounts: Target['accounts'],
    headers: Target['headers'],
  ) {
    super();
    for (const { name, apiKey, password, settings } of accounts) {
      this.add(markerOf('apiKey', name), apiKey);
      this.add(markerOf('password', name), password ?? '');
      this.learnReceiverAuth(settings?.auth, name, false);
    }
    for (const [name, value] of headers) this.add(markerOf('header', name), value);
  }

  /** Learns the secrets that an answer brings along. */
  learn(outcome: WireOutcome, probe: Probe, account: KeyHolder): void {
    const cookies = linesOf(outcome.head?.headers ?? [], 'Set-Cookie').map((value) => value.split(';')[0]);
    if (cookies.length > 0) this.addForSending(cookiesFrom(probe), cookies.join('; '));
    this.learnReceiverAuth(webhookIn(parsed(outcome.body.toString()))?.auth, account ?? 'unknown', true);
  }

  /** The body of an answer. The beginning of a secret at the end of a broken answer is left out. */
  answerBody({ body, fault }: WireOutcome, account: KeyHolder): RecordedBody {
    const masked = bodyOf(fault ? this.maskCut(body) : this.mask(body));
    if (masked.bodyEncoding === 'base64') return masked;
    const { text, passwords } = withoutUndeclared(masked.body, markerOf('receiverKey', account ?? 'unknown'));
    for (const password of passwords) this.add(markerOf('password', UNDECLARED), password);
    return { ...masked, body: text };
  }

  /** The beginning of a body that was sent. */
  sentBody(body: Buffer): RecordedBody {
    const isWhole = body.length <= MOST_SENT;
    return bodyOf(isWhole ? this.mask(body) : this.maskCut(body.subarray(0, MOST_SENT)));
  }

  /** What was masked before, without what was learnt since. */
  again<Kept extends RecordedBody & { headers: HeaderLines; aside?: HeaderLines; statusText?: string; path?: string }>(
    kept: Kept,
  ): Kept {
    const { headers, aside, statusText, path } = kept;
    return {
      ...kept,
      ...bodyOf(this.mask(Buffer.from(kept.body, kept.bodyEncoding))),
      headers: this.answerLines(headers),
      ...(aside && { aside: this.answerLines(aside) }),
      ...(statusText !== undefined && { statusText: this.maskText(statusText) }),
      ...(path !== undefined && { path: this.maskText(path) }),
    };
  }

  /** The header lines of an answer. */
  answerLines(lines: HeaderLines): HeaderLines {
    return lines.map(([name, value]) => [this.bytes(name), this.answerValue(name, value)]);
  }

  /** The parts of a delivery that a stranger wrote. A password in it that nobody declared is masked as well. */
  delivery(raw: RawDelivery): RecordedBody & { path: string; headers: HeaderLines; basic: BasicCredentials[] } {
    const { credentials, undeclared } = basicCredentialsOf(raw.headers, this.accounts);
    const basic = credentials.map(({ username, password }) => ({
      username: username !== null && this.usernames.has(username) ? this.asInSettings(username) : null,
      password,
    }));
    const here = new Vault();
    if (undeclared !== null) here.add(markerOf('password', UNDECLARED), undeclared);
    const mask = (bytes: Buffer) => here.mask(this.mask(bytes));
    const maskBytes = (text: string) => textOf(mask(Buffer.from(text, 'latin1')));
    const { body, bodyEncoding } = bodyOf(mask(raw.body));
    return {
      path: maskBytes(raw.path),
      headers: raw.headers.map(([name, value]) => [maskBytes(name), authorizationKept(name, maskBytes(value))]),
      body: bodyEncoding === 'utf8' ? withoutUndeclared(body).text : body,
      bodyEncoding,
      basic,
    };
  }

  /** A username as it stands in masked settings, a string of JSON: where it looks like JSON, its text alone would not. */
  private asInSettings(username: string): string | null {
    const masked = parsed(this.maskText(JSON.stringify(username)));
    return typeof masked === 'string' ? masked : null;
  }

  private learnReceiverAuth(auth: unknown, account: string, isStored: boolean): void {
    for (const key of leavesOf(memberAt(auth, 'apikey', 'apikey')).slice(0, MOST_LEAVES))
      if (key.length <= LONGEST_RECEIVER_KEY) this.add(markerOf('receiverKey', account), key);
    const username = memberAt(auth, 'basic', 'username');
    if (typeof username !== 'string') return;
    if (isStored) this.usernames.add(username);
    const password = this.accounts.find(({ name }) => name === account)?.password;
    if (password) this.add(markerOf('password', account, 'basic'), `${username}:${password}`);
  }

  /** A cookie's value may open a session, so it is never shown; a declared secret in it is named. */
  private answerValue(name: string, value: string): string {
    const masked = this.bytes(value, OF_THE_PROTOCOL.test(name));
    if (name.toLowerCase() !== 'set-cookie') return masked;
    return masked.replace(/^\s{0,20}([^=;\s]{1,200})=([^;]{8,})/, (cookie, called: string, held: string) =>
      held.match(MARKER) ? cookie : `${called}=${markerOf('cookie', called)}`,
    );
  }

  /** Masks a text of which each character is one byte. */
  private bytes(text: string, isProtocol = false): string {
    return this.mask(Buffer.from(text, 'latin1'), isProtocol).toString('latin1');
  }
}

/** The marker of a `Cookie` line with all cookies that the answer to a probe has set. */
export function cookiesFrom(probe: Probe): string {
  return markerOf('cookie', nameOf(probe));
}

/** Header fields whose values are words and numbers of HTTP, or of the API description's section 8. */
const OF_THE_PROTOCOL =
  /^(?:date|age|expires|last-modified|server|connection|keep-alive|allow|vary|content-(?:type|length|encoding|language)|transfer-encoding|cache-control|retry-after|(?:x-)?ratelimit-.*|www-authenticate|access-control-.*|strict-transport-security)$/i;

/** Strings and numbers of a value of any shape. */
function leavesOf(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return Object.values(value ?? {}).flatMap(leavesOf);
}

function bodyOf(bytes: Buffer): RecordedBody {
  const bodyEncoding = isUtf8(bytes) ? 'utf8' : 'base64';
  return { body: bytes.toString(bodyEncoding), bodyEncoding };
}
