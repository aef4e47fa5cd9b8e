/**
 * `reference [FILE]`: the embedded server alone, to practise on. `PORT` chooses its port. An argument names a file to which
 * a target file for it is written.
 */
import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { UsageError } from '../src/common/usage-error';
import { type Reference, startReference } from '../src/reference/server';
import { type Command, called } from './command';

export const reference: Command = {
  usage: '[FILE]',
  async run([file]) {
    const port = Number(process.env.PORT || 0);
    if (!Number.isInteger(port) || port < 0 || port > 65535) {
      throw new UsageError(`PORT must be a number from 0 to 65535, not "${process.env.PORT}".`);
    }
    const server = await started(port);
    const width = Math.max(...server.accounts.map(({ name }) => name.length));
    const [first] = server.accounts;
    const target = targetFileFor(server);
    if (file !== undefined) writeFileSync(file, target);
    console.log(`The reference server listens at ${server.baseURL}, on this machine only.\n`);
    console.log('Accounts, with keys and stored passwords that are good for nothing else:');
    for (const { name, apiKey, password } of server.accounts)
      console.log(`  ${name.padEnd(width)}  ${apiKey}  ${password === null ? 'no password' : `password ${password}`}`);
    console.log(`\nRead an account's webhook settings:`);
    console.log(`  curl -i -H 'apiKey: ${first?.apiKey}' ${server.baseURL}/webhooks`);
    console.log(`\nMake it send a notification:`);
    console.log(
      `  curl -i -X POST -H 'X-Trigger-Token: ${server.triggerToken}' ` +
        `'${server.triggerURL}?kind=start&account=${first?.name}'`,
    );
    if (file === undefined)
      console.log(`\nA target file for it (${called('reference')} practice.yaml writes it):\n\n${target}`);
    else console.log(`\nWrote ${file}. In another terminal:\n  TARGET=${file} npx playwright test`);
    console.log('\nCtrl-C stops it.');
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
    return 0;
  },
};

/** @throws UsageError if the port is taken */
async function started(port: number): Promise<Reference> {
  try {
    return await startReference({ port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new UsageError(`Port ${process.env.PORT} is taken; choose another with PORT.`);
  }
}

/** A target file that declares all that is known of the server. Its keys may stand in it: they open nothing else. */
function targetFileFor({ baseURL, accounts }: Reference): string {
  return stringify({
    name: 'practice',
    baseURL,
    accounts: accounts.map(({ name, apiKey, password, settings }) => ({
      name,
      apiKey,
      hasPassword: password !== null,
      ...(password === null ? {} : { password }),
      settings: { auth: { type: settings.auth.type }, start: { status: settings.start.status } },
    })),
  });
}
