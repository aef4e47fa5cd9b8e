import { server as hapi, type Plugin, type Request, type ServerOptions } from '@hapi/hapi';
import { type Account, accountOf, BASE, listening, rejection, type Served, settingsOf, welcome } from '../api';

export type HapiServer = ReturnType<typeof hapi>;

/** hapi's own order: authentication stands before `onPostAuth`, where limiters of hapi count by default. */
export async function onHapi(
  plugin: { plugin: Plugin<never>; options: object },
  { prepare, ...options }: ServerOptions & { prepare?: (app: HapiServer) => void } = {},
): Promise<Served> {
  const app = hapi({ host: '127.0.0.1', port: 0, ...options });
  app.auth.scheme('key', () => ({
    authenticate(request, h) {
      const account = accountOf(request.headers.apikey);
      if (account) return h.authenticated({ credentials: { id: account.name, user: account } as never });
      const answer = h.response(rejection.body).code(rejection.status);
      for (const [name, value] of Object.entries(rejection.headers)) answer.header(name, value);
      return answer.takeover();
    },
  }));
  app.auth.strategy('key', 'key');
  app.auth.default('key');
  await app.register(plugin as never);
  // Extensions run in the order in which they were added: what comes here sees a response after the plugin.
  prepare?.(app);
  app.route([
    { method: 'GET', path: `${BASE}/webhooks`, handler: (request) => settingsOf(ownerOf(request)) },
    { method: 'GET', path: `${BASE}/`, handler: () => welcome },
  ]);
  await app.start();
  return listening(app.listener as never, () => app.stop());
}

function ownerOf(request: Request): Account {
  return request.auth.credentials.user as Account;
}
