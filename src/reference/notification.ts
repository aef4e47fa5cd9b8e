import { once } from 'node:events';
import { request } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { Kind } from '../contract/settings';
import type { HeaderLines } from '../evidence/model';
import type { Account, Settings } from './account';

/** One notification, ready to be sent. */
export interface Notification {
  method: string;
  url: string;
  headers: HeaderLines;
  body: string;
  /** How long to wait before it is sent. */
  delayMs?: number;
}

/** A receiver has so long to answer. */
const WITHIN_MS = 5000;

/** Returns what a kind's event sends (API description, section 6): a POST to its url, or nothing while it is off. */
export function notificationsOf(kind: Kind, account: Account): Notification[] {
  const { status, url } = account.settings[kind];
  if (!status) return [];
  const body = JSON.stringify({ event: kind, sentAt: new Date().toISOString() });
  return [
    {
      method: 'POST',
      url,
      headers: [['Content-Type', 'application/json'], ...credentialsOf(account.settings.auth, account.password)],
      body,
    },
  ];
}

/** Returns the header lines that `auth` asks for (API description, section 6, rule 2); none if it is off or unset. */
function credentialsOf(auth: Settings['auth'], password: string | null): HeaderLines {
  if (!auth.status) return [];
  if (auth.type === 'basic') {
    if (password === null) return [];
    return [['Authorization', `Basic ${Buffer.from(`${auth.basic.username ?? ''}:${password}`).toString('base64')}`]];
  }
  const { header, apikey } = auth.apikey;
  return header !== null && apikey !== null ? [[header, apikey]] : [];
}

/** Sends a notification and reads the answer. A receiver's failure is no error. @param signal gives up when it fires */
export async function deliver({ method, url, headers, body }: Notification, signal: AbortSignal): Promise<void> {
  const send = url.startsWith('https:') ? requestSecurely : request;
  const within = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]);
  try {
    const asked = send(url, { method, headers: Object.fromEntries(headers), agent: false, signal: within });
    // An error that comes after the answer has begun is the answer's, too.
    asked.on('error', () => undefined).end(body);
    const [answer] = await once(asked, 'response');
    await buffer(answer);
  } catch {
    // A receiver may be gone, or not speak HTTP.
  }
}
