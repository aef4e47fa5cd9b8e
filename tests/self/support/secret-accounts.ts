/** Accounts whose keys and passwords whole runs are searched for, and a target file with variables in place of them. */
import { targetFile } from './whole-runs';

/** Secrets with characters that JSON, URLs, HTML and base64 write differently, and plain secrets. */
export const ACCOUNTS = [
  { name: 'signs', apiKey: 'k/ey+Sekret"4711=&<aB>~Zz', password: 'pä55/Sekret+"0815"<ü>&?=~' },
  { name: 'plain', apiKey: 'plainKeySekret1234AbCdEfGh', password: 'plainPasswordSekret5678' },
];

/** By the variable that holds it. */
export const SECRETS = {
  GATE: 'gate/Sekret+"&<2342>=\\~x',
  KEY_SIGNS: ACCOUNTS[0]?.apiKey ?? '',
  PASSWORD_SIGNS: ACCOUNTS[0]?.password ?? '',
  KEY_PLAIN: ACCOUNTS[1]?.apiKey ?? '',
  PASSWORD_PLAIN: ACCOUNTS[1]?.password ?? '',
};

/** A target file whose secrets are variables, as the README recommends. @param members to add */
export function declaring(baseURL: string, members: object = {}): string {
  const accounts = ACCOUNTS.map(({ name }) => ({
    name,
    apiKey: `\${KEY_${name.toUpperCase()}}`,
    password: `\${PASSWORD_${name.toUpperCase()}}`,
  }));
  return targetFile({ name: 'leaky', baseURL, accounts, headers: { 'X-Staging-Gate': `\${GATE}` }, ...members });
}
