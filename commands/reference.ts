/** `reference [FILE]`: the embedded server alone, to practise on. FILE is where a target file for it is written. */
import { existsSync } from 'node:fs';
import { stringify } from 'yaml';
import { UsageError } from '../src/common/errors';
import { AS_USUAL, MOST_BYTES, save, textIn } from '../src/common/files';
import { isLoopback, urlOf } from '../src/contract/settings';
import { declarationOf } from '../src/reference/account';
import type { Bend } from '../src/reference/behaviour';
import { type Reference, startReference } from '../src/reference/server';
import { type Command, called, RUN, TEXT, wordsIn } from './command';

/** The same at each start, so that a target file for it stays right. */
const PORT = 4010;
/** Where the suite listens if notifications come through a tunnel. */
const LISTEN = '127.0.0.1:9099';

/** The clause that the server can break, and how. */
const BREAKABLE = 'settings.password-null';
const MISTAKE: Bend = {
  name: 'password-masked',
  bend: ({ document }) => ({
    document: (account, call) => {
      const shown = structuredClone(document(account, call)) as {
        webhook: { auth: { basic: { password: unknown } } };
      };
      shown.webhook.auth.basic.password = '********';
      return shown;
    },
  }),
};

const HELP = `Usage: ${called('reference')} [FILE] [--break CLAUSE] [--receiver URL]

Starts a server to practise on, on this machine only, and writes a target file for it to FILE.

  --break CLAUSE   makes the server break a clause, to see what a failure looks like: ${BREAKABLE}
  --receiver URL   where its notifications go, such as http://${LISTEN}; then FILE declares notifications, too
  PORT             environment variable: its port (default: ${PORT}; 0 takes a free one)`;

export const reference: Command = {
  usage: HELP,
  async run(words) {
    const { values, positionals } = wordsIn(words, { break: TEXT, receiver: TEXT });
    const [file, ...more] = positionals;
    if (more.length > 0) throw new UsageError('');
    const receiver = values.receiver === undefined ? undefined : receiverIn(values.receiver);
    const server = await started(values.break, receiver?.origin);
    const target = targetFileFor(server, receiver);
    try {
      if (file !== undefined) write(file, target);
    } catch (error) {
      await server.close();
      throw error;
    }
    printAccounts(server, values.break);
    if (file === undefined)
      console.log(`\nA target file for it (${called('reference')} practice.yaml writes it):\n\n${target}`);
    else console.log(`\n${file} declares it. In another terminal:\n  TARGET=${file} ${RUN}`);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
    console.log('\nCtrl-C stops it.');
    return 0;
  },
};

function printAccounts(server: Reference, broken: string | undefined): void {
  const width = Math.max(...server.accounts.map(({ name }) => name.length));
  const [first] = server.accounts;
  console.log(`The reference server listens at ${server.baseURL}, on this machine only.\n`);
  if (broken !== undefined) console.log(`It breaks ${broken}.\n`);
  console.log('Accounts, with keys and stored passwords that are good for nothing else:');
  for (const { name, apiKey, password } of server.accounts)
    console.log(`  ${name.padEnd(width)}  ${apiKey}  ${password === null ? 'no password' : `password ${password}`}`);
  console.log(`\nRead an account's webhook settings:`);
  console.log(`  curl -i -H 'apiKey: ${first?.apiKey}' ${server.baseURL}/webhooks`);
  console.log(`\nMake it send a notification:`);
  console.log(`  ${triggerOf(server, 'start', String(first?.name))}`);
}

/** A shell command that makes the server send. */
function triggerOf({ triggerURL, triggerToken }: Reference, kind: string, account: string): string {
  return `curl -fsS -X POST -H "X-Trigger-Token: ${triggerToken}" "${triggerURL}?kind=${kind}&account=${account}"`;
}

async function started(broken: string | undefined, receiverBase: string | undefined): Promise<Reference> {
  const port = Number(process.env.PORT || PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new UsageError(`PORT must be a number from 0 to 65535, not "${process.env.PORT}".`);
  if (broken !== undefined && broken !== BREAKABLE) throw new UsageError(`--break takes ${BREAKABLE}.`);
  const bends = broken === undefined ? [] : [MISTAKE];
  try {
    return await startReference({ port, bends, ...(receiverBase !== undefined && { receiverBase }) });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    const why = code === 'EACCES' ? 'not for this user to open' : 'taken';
    throw new UsageError(`Port ${port} is ${why}; choose another with PORT.`);
  }
}

function receiverIn(text: string): URL {
  const url = urlOf(text);
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '') return url;
  throw new UsageError(`--receiver is the beginning of an address, such as http://${LISTEN}.`);
}

function write(file: string, text: string): void {
  if (existsSync(file) && withoutToken(textIn(file, MOST_BYTES.declaration)) !== withoutToken(text))
    throw new UsageError(`${file} is there already, and is not this server's: choose another name.`);
  save(file, text, 'choose another name', AS_USUAL);
}

/** The token of the trigger is another one at each start. */
function withoutToken(text: string): string {
  return text.replace(/X-Trigger-Token: [\w-]+/g, '');
}

/** A target file that declares all that is known of the server. Its keys may stand in it: they open nothing else. */
function targetFileFor(server: Reference, receiver: URL | undefined): string {
  const listen = receiver?.protocol === 'http:' && isLoopback(receiver.hostname) ? receiver.host : LISTEN;
  return stringify(
    {
      name: 'practice',
      baseURL: server.baseURL,
      accounts: server.accounts.map((account) => {
        const { auth, ...kinds } = account.settings;
        const shown = receiver ? kinds : { start: { status: kinds.start.status } };
        return { ...declarationOf(account), settings: { auth: { type: auth.type }, ...shown } };
      }),
      ...(receiver && {
        notifications: {
          listen,
          accounts: server.accounts.map(({ name }) => name),
          trigger: triggerOf(server, '$KIND', '$ACCOUNT'),
        },
      }),
    },
    { lineWidth: 0 },
  );
}
