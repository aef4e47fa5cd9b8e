/** `npm run reference`: the embedded server alone, to be called by hand. `PORT` chooses its port. */
import { startReference } from './server';

async function main(): Promise<void> {
  const port = Number(process.env.PORT || 0);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new Error(`PORT must be a number from 0 to 65535, not "${process.env.PORT}".`);
  }
  const reference = await startReference({ port });
  const width = Math.max(...reference.accounts.map(({ name }) => name.length));
  const [first] = reference.accounts;
  console.log(`The reference server listens at ${reference.baseURL}, on this machine only.\n`);
  console.log('Accounts, with keys that are good for nothing else:');
  for (const { name, apiKey } of reference.accounts) console.log(`  ${name.padEnd(width)}  ${apiKey}`);
  console.log(`\nRead an account's webhook settings:`);
  console.log(`  curl -i -H 'apiKey: ${first?.apiKey}' ${reference.baseURL}/webhooks`);
  console.log(`\nMake it send a notification:`);
  console.log(
    `  curl -i -X POST -H 'X-Trigger-Token: ${reference.triggerToken}' ` +
      `'${reference.triggerURL}?kind=start&account=${first?.name}'`,
  );
  console.log('\nCtrl-C stops it.');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void reference.close());
}

main().catch((error: NodeJS.ErrnoException) => {
  const taken = error.code === 'EADDRINUSE';
  console.error(taken ? `Port ${process.env.PORT} is taken; choose another with PORT.` : error.message);
  process.exitCode = 1;
});
