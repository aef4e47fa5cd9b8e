/** What a verdict rests on, in sentences for the page and the summary. */

import type { Conformance, DeclaredAccount } from '../contract/result';
import { plural } from './words';

/** One sentence for each thing that was declared or chosen; text between backticks is code. */
export function foundationLines({ declared, digests, options, suite }: Conformance): string[] {
  const { riskyProbes, insecureTls, limits } = options;
  return [
    ...declared.accounts.map(accountLine),
    ...passwordLines(declared.accounts),
    riskyProbes
      ? 'Risky probes were sent: unsafe methods without a key, and a valid key in a URL.'
      : 'Risky probes were not sent (`RISKY_PROBES`).',
    insecureTls
      ? 'The certificate of the server was not verified (`INSECURE_TLS`): another server may have answered.'
      : 'The certificate of the server had to verify wherever https was used.',
    `An answer had ${limits.timeoutSeconds} s and ${limits.bodyBytes} bytes; a burst had ${plural(limits.burst, 'request')}.`,
    `Judged by ${suite.name} ${suite.version}, contract \`${digests.contract}\`, on evidence \`${digests.evidence}\`.`,
  ];
}

function accountLine({ name, password, hasPassword, settings }: DeclaredAccount): string {
  const facts = [
    ...(hasPassword === null ? [] : [hasPassword ? 'it stores a password' : 'it stores no password']),
    ...(password ? ['the stored password'] : []),
    ...(settings.length > 0 ? [`settings (${settings.map((member) => `\`${member}\``).join(', ')})`] : []),
  ];
  return `Declared of \`${name}\`: ${facts.join('; ') || 'nothing but its key'}.`;
}

/** How far settings.password-absent reaches: nobody outside can tell whether a declared password is the stored one. */
function passwordLines(accounts: readonly DeclaredAccount[]): string[] {
  const told = (some: readonly DeclaredAccount[], sentence: (names: string) => string) =>
    some.length > 0 ? [sentence(some.map(({ name }) => `\`${name}\``).join(', '))] : [];
  return [
    ...told(
      accounts.filter(({ password }) => password),
      (names) =>
        `\`settings.password-absent\` searched every response for the passwords declared of ${names}. ` +
        'Whether these are the stored ones cannot be seen from outside: if they are not, it found nothing but members that are named like a password.',
    ),
    ...told(
      accounts.filter(({ password, hasPassword }) => !password && hasPassword !== false),
      (names) =>
        `No stored password is declared of ${names}: there \`settings.password-absent\` rests on the names of members alone.`,
    ),
  ];
}
