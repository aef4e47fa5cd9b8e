/**
 * `npm run reference`: the embedded server alone, to practise on. `PORT` chooses its port. An argument names a file to which
 * a target file for it is written.
 */
import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { UsageError } from '../src/common/usage-error';
import { type Reference, startReference } from '../src/reference/server';

async function main(): Promise<void> {
  const port = Number(process.env.PORT || 0);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new UsageError(`PORT must be a number from 0 to 65535, not "${process.env.PORT}".`);
  }
  const [file] = process.argv.slice(2);
  const reference = await startReference({ port });
  const width = Math.max(...reference.accounts.map(({ name }) => name.length));
  const [first] = reference.accounts;
  const target = targetFileFor(reference);
  if (file !== undefined) writeFileSync(file, target);
  console.log(`The reference server listens at ${reference.baseURL}, on this machine only.\n`);
  console.log('Accounts, with keys and stored passwords that are good for nothing else:');
  for (const { name, apiKey, password } of reference.accounts)
    console.log(`  ${name.padEnd(width)}  ${apiKey}  ${password === null ? 'no password' : `password ${password}`}`);
  console.log(`\nRead an account's webhook settings:`);
  console.log(`  curl -i -H 'apiKey: ${first?.apiKey}' ${reference.baseURL}/webhooks`);
  console.log(`\nMake it send a notification:`);
  console.log(
    `  curl -i -X POST -H 'X-Trigger-Token: ${reference.triggerToken}' ` +
      `'${reference.triggerURL}?kind=start&account=${first?.name}'`,
  );
  if (file === undefined)
    console.log(`\nA target file for it (npm run reference -- practice.yaml writes it):\n\n${target}`);
  else console.log(`\nWrote ${file}. In another terminal:\n  TARGET=${file} npx playwright test`);
  console.log('\nCtrl-C stops it.');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void reference.close());
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

main().catch((error: NodeJS.ErrnoException) => {
  const taken = error.code === 'EADDRINUSE';
  console.error(taken ? `Port ${process.env.PORT} is taken; choose another with PORT.` : error.message);
  process.exitCode = 1;
});
