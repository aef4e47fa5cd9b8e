/** A target file for a run of one's own against the server of a package. */
import { stringify } from 'yaml';
import type { TargetFacts } from '../evidence/exchange';

/**
 * The text of a target file: address, rate and accounts of the package, with a variable in place of each secret. What
 * was declared of settings is left out, because accounts of one's own have their own.
 */
export function targetFileFor({ name, vendor, product, version, baseURL, accounts, rate }: TargetFacts): string {
  const text = stringify({
    name,
    vendor,
    product,
    version,
    baseURL,
    accounts: accounts.map(({ name: account, hasPassword, passwordDeclared }, i) => ({
      name: account,
      apiKey: `\${API_KEY_${i + 1}}`,
      ...(hasPassword !== undefined && { hasPassword }),
      ...(passwordDeclared && { password: `\${PASSWORD_${i + 1}}` }),
    })),
    rate,
  });
  return `# Set the variables to keys and stored passwords of your own, and declare the settings of your accounts.\n${text}`;
}
