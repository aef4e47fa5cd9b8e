/** What `verify` says of many packages: a line each, and a list of them as Markdown or JSON. */

import { suite } from '../common/suite';
import { plural } from '../common/text';
import { inline, tableIn } from '../report/ci/markdown';
import { keyidOf } from './attestation';
import type { Verification } from './package';

/** Returns what is known of a package, for machines and for the list. Its result is a stranger's text. */
export function entryOf({ package: path, isFine, checks, signer, conformance }: Verification) {
  const { target, startedAt, profiles } = conformance ?? {};
  return {
    package: path,
    isFine,
    vendor: target?.vendor ?? null,
    product: target?.product ?? target?.name ?? null,
    version: target?.version ?? null,
    /** The vendor whose key signed, the file of the key and its SHA-256; `null` if none of the keys given did. */
    signer: signer && { vendor: signer.vendor, key: signer.name, keyid: keyidOf(signer.key) },
    /** The day of the run, `YYYY-MM-DD`. */
    date: startedAt?.slice(0, 10) ?? null,
    profiles: profiles ?? null,
    checks,
  };
}

export type Entry = ReturnType<typeof entryOf>;

/** Returns one line: the outcome, the server, who signed, and what failed first of each check. */
export function lineOf(entry: Entry): string {
  const { package: path, isFine, product, version, vendor } = entry;
  const server = product === null ? '' : [product, version, vendor && `of ${vendor}`].filter(Boolean).join(' ');
  const words = [server, server && signerInWords(entry), problemsOf(entry.checks)].filter(Boolean).join('; ');
  return `${isFine ? 'verified' : 'failed  '}  ${path}: ${words}`;
}

function signerInWords({ signer, checks }: Entry): string {
  if (signer) return `signed by ${signer.vendor} (${signer.key})`;
  const isChecked = checks.some(({ name, verdict }) => name === 'signature' && verdict !== 'unchecked');
  return isChecked ? 'signed by nobody known' : 'signature not checked';
}

function problemsOf(checks: Entry['checks']): string {
  return checks
    .filter(({ verdict }) => verdict === 'failed')
    .map(({ name, problems: [first, ...more] }) => {
      return `${name}: ${first}${more.length > 0 ? ` (and ${more.length} more)` : ''}`;
    })
    .join('; ');
}

/** Returns the list as GitHub-flavoured Markdown. */
export function markdownOf(entries: readonly Entry[]): string {
  const rows = entries.map((entry) => {
    const { product, version, vendor, signer, date, profiles, isFine, checks } = entry;
    const passed = Object.entries(profiles ?? {}).flatMap(([profile, verdict]) =>
      verdict === 'pass' ? [profile] : [],
    );
    return [
      { code: entry.package },
      isFine ? 'verified' : `failed: ${problemsOf(checks)}`,
      ...[product, version, vendor].map((name) => name ?? 'not declared'),
      signer ? `${signer.vendor}, key ${signer.keyid.slice(0, 16)}` : signerInWords(entry),
      ...[date ?? '', passed.join(', ')],
    ];
  });
  const title = `${entries.filter(({ isFine }) => isFine).length} of ${plural(entries.length, 'package')} verified`;
  const head = ['Package', 'Outcome', 'Server', 'Version', 'Vendor', 'Signature', 'Judged', 'Profiles'];
  const by = `Verified by ${suite.name} ${suite.version}. A signature says who vouches for a run, not that it happened.`;
  return `${tableIn({ id: 'packages', title, head, rows })}\n\n${inline(by)}\n`;
}
