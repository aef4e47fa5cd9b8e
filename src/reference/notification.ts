import * as http from 'node:http';
import * as https from 'node:https';
import type { Kind } from '../contract/settings';
import type { HeaderLines } from '../evidence/exchange';
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

/**
 * Returns the notifications of a kind's event (API description, section 6): none while the kind is off, otherwise one
 * POST to the kind's own URL with the credentials that `auth` asks for.
 */
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

/**
 * Returns the header lines that authenticate the service to a receiver (API description, section 6, rule 2); none while
 * receiver authentication is off or nothing is stored for the scheme in use.
 */
function credentialsOf(auth: Settings['auth'], password: string | null): HeaderLines {
  if (!auth.status) return [];
  if (auth.type === 'basic') {
    if (password === null) return [];
    return [['Authorization', `Basic ${Buffer.from(`${auth.basic.username ?? ''}:${password}`).toString('base64')}`]];
  }
  const { header, apikey } = auth.apikey;
  return header !== null && apikey !== null ? [[header, apikey]] : [];
}

/** Sends a notification and reads the receiver's answer to its end. It never rejects. @param signal ends the attempt */
export function deliver(notification: Notification, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const body = Buffer.from(notification.body);
    const headers = Object.fromEntries(notification.headers);
    if (body.length > 0) headers['Content-Length'] = String(body.length);
    const { request } = notification.url.startsWith('https:') ? https : http;
    try {
      const outgoing = request(notification.url, { method: notification.method, headers, agent: false, signal });
      outgoing.setTimeout(5000, () => outgoing.destroy());
      outgoing.on('response', (response) => response.resume());
      outgoing.on('error', () => resolve());
      outgoing.on('close', () => resolve());
      outgoing.end(body);
    } catch {
      resolve();
    }
  });
}
