import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Account, accountOf, BASE, listening, rejection, type Served, settingsOf, welcome } from '../api';

/** Lets a request pass by calling `pass`, or answers it. */
export type Gate = (request: IncomingMessage, response: ServerResponse, pass: () => void) => void;
export type AccountGate = (account: Account, response: ServerResponse, pass: () => void) => void;

/** @param gates where the limiter stands: in front of everything, or behind authentication */
export function onNode(gates: { before?: Gate; after?: AccountGate }, close?: () => unknown): Promise<Served> {
  const { before = (_request, _response, pass) => pass(), after = (_account, _response, pass) => pass() } = gates;
  const server = createServer((request, response) => {
    before(request, response, () => {
      const account = accountOf(request.headers.apikey);
      if (!account) return json(response, rejection.status, rejection.body, rejection.headers);
      after(account, response, () => {
        const path = request.url?.split('?')[0];
        if (path === `${BASE}/webhooks`) json(response, 200, settingsOf(account));
        else if (path === `${BASE}/`) json(response, 200, welcome);
        else json(response, 404, { error: 'not found' });
      });
    });
  });
  return listening(server, close);
}

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}
