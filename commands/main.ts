#!/usr/bin/env node
/** `assessment-conformance [COMMAND] …`: the suite as a command. Without a command's name, the options are Playwright's. */
import { join } from 'node:path';
import { suite } from '../src/common/suite';
import { type Command, called, runCommand } from './command';

/** Each is loaded when it is called, because loading takes longer than most of their work. */
const COMMANDS: Readonly<Record<string, () => Command>> = {
  init: () => (require('./init/init') as typeof import('./init/init')).init,
  reference: () => (require('./reference') as typeof import('./reference')).reference,
  certify: () => (require('./certify') as typeof import('./certify')).certifyCommand,
  verify: () => (require('./verify') as typeof import('./verify')).verifyCommand,
};

const HELP = `Usage: ${called('COMMAND')} [WORDS]

  test       judges a server: BASE_URL, TARGET and the other variables say which, the words are Playwright's (default)
  init       asks for address and keys, and writes a target file
  reference  starts a server to practise on
  certify    makes a signed package of a run's results
  verify     checks such packages, and lists them

Each shows its options with --help. --version shows the version of this suite.`;

/** Hands over to Playwright's own command, in this process, so that signals and exit statuses are Playwright's. */
function test(words: readonly string[]): void {
  process.env.CONFORMANCE_COMMAND = 'npx assessment-conformance';
  const config = join(__dirname, '..', 'playwright.config');
  process.argv.splice(2, Number.POSITIVE_INFINITY, 'test', '-c', require.resolve(config), ...words);
  require('@playwright/test/cli');
}

const [name = 'test', ...words] = process.argv.slice(2);
const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (load)
  void runCommand(load(), words).then((status) => {
    process.exitCode = status;
  });
else if (['help', '--help', '-h'].includes(name)) console.log(HELP);
else if (['--version', '-V'].includes(name)) console.log(`${suite.name} ${suite.version}`);
else if (name === 'test') test(words);
else if (name.startsWith('-')) test([name, ...words]);
else {
  console.error(`There is no command ${name}. --help shows all.`);
  process.exitCode = 2;
}
