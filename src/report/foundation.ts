import { plural } from '../common/plural';
import type { Conformance, DeclaredAccount } from '../contract/result';
import { said } from './format';

/** Returns what a verdict rests on: one sentence for each thing declared or chosen. Code stands between backticks. */
export function foundationLines({ declared, digests, options, suite }: Conformance): string[] {
  const { riskyProbes, insecureTls, limits } = options;
  const { accounts } = declared;
  const withPassword = namesOf(accounts.filter(({ password }) => password));
  const unsearched = namesOf(accounts.filter(({ password, hasPassword }) => !password && hasPassword !== false));
  return said(
    ...accounts.map(accountLine),
    // Nobody outside can tell whether a declared password is the stored one.
    withPassword &&
      `\`settings.password-absent\` searched every response for the passwords declared of ${withPassword}. ` +
        'Whether these are the stored ones cannot be seen from outside: if they are not, it found nothing but members that are named like a password.',
    unsearched &&
      `No stored password is declared of ${unsearched}: there \`settings.password-absent\` rests on the names of members alone.`,
    riskyProbes
      ? 'Risky probes were sent: unsafe methods without a key, and a valid key in a URL.'
      : 'Risky probes were not sent (`RISKY_PROBES`).',
    insecureTls
      ? 'The certificate of the server was not verified (`INSECURE_TLS`): another server may have answered.'
      : 'The certificate of the server had to verify wherever https was used.',
    `Each answer was allowed ${limits.timeoutSeconds} s and ${limits.bodyBytes.toLocaleString('en')} bytes; a burst was ${plural(limits.burst, 'request')}.`,
    `Judged by ${suite.name} ${suite.version}, contract \`${digests.contract}\`, on evidence \`${digests.evidence}\`.`,
  );
}

function namesOf(accounts: readonly DeclaredAccount[]): string {
  return accounts.map(({ name }) => `\`${name}\``).join(', ');
}

function accountLine({ name, password, hasPassword, settings }: DeclaredAccount): string {
  const facts = said(
    hasPassword !== null && `that it stores ${hasPassword ? 'a' : 'no'} password`,
    password && 'the stored password',
    settings.length > 0 && `settings (${settings.map((member) => `\`${member}\``).join(', ')})`,
  );
  return `Declared of \`${name}\`: ${facts.join(', ') || 'nothing but its key'}.`;
}
