/** A package: one directory with a run's result, its evidence, its page and the attestation of these; made, verified and listed. */
import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../common/errors';
import { AS_USUAL, bytesIn, MOST_BYTES, namesIn, save, utf8Of } from '../common/files';
import { suite } from '../common/suite';
import { cut, digestOf, listed, plural, sha256Of, visibleJson } from '../common/text';
import { clauseTexts } from '../contract/clauses';
import { type Conformance, resultIn } from '../contract/result';
import { fromHar } from '../evidence/har';
import { withoutOwn } from '../evidence/model';
import { judgementsOf } from '../profiles/rules';
import { reportInputOf } from '../report/assemble';
import { inline, tableIn } from '../report/ci/markdown';
import { renderPage } from '../report/page/page';
import { obstacles, type ReportInput } from '../report/words';
import { envelopeIn, keyidOf, signedEnvelope, signersOf, statementOf, type VendorKey } from './attestation';

export const ATTESTATION = 'attestation.json';
/** The files that the attestation covers. */
export const ATTESTED = ['conformance.json', 'evidence.har', 'index.html'] as const;
const FILES: readonly string[] = [...ATTESTED, ATTESTATION];

/** One check of a package, and what it found. */
export interface Check {
  name: string;
  /** `unchecked`: the check could not be made, which is no fault of the package. */
  verdict: 'ok' | 'failed' | 'unchecked';
  problems: string[];
}

/** What is known of a package, for machines and for the list. Its result is a stranger's text. */
export type Verification = ReturnType<typeof verifyPackage>;

/**
 * Writes the package of a run's results, if the run can be certified.
 * @param out where the package goes; it must hold no files
 * @param key private
 * @returns the result that the package is about
 * @throws UsageError with every reason why the run cannot be certified, or why the package cannot be written
 */
export function certify(results: string, out: string, key: KeyObject): Conformance {
  const [conformance, evidence] = [readFile(results, 'conformance.json'), readFile(results, 'evidence.har')];
  const read = readResult(conformance, evidence);
  const reasons = resultChecks(read).flatMap(({ name, problems }) =>
    problems.map((problem) => `\n  ${name === 'certifiable' ? '' : `${name}: `}${problem}`),
  );
  if (reasons.length > 0) throw new UsageError(`${results} cannot be certified:${reasons.join('')}`);
  if (existsSync(out) && namesIn(out).length > 0)
    throw new UsageError(`${out} is not empty: give --out a directory of its own.`);
  const contents = [conformance, evidence, Buffer.from(renderPage(read.again))];
  const envelope = signedEnvelope(statementOf(read.given, digestsOf(contents)), key);
  for (const [i, content] of [...contents, `${JSON.stringify(envelope, null, 2)}\n`].entries())
    save(join(out, FILES[i] ?? ''), content, 'choose another directory with --out', AS_USUAL);
  return read.given;
}

function readFile(directory: string, name: string): Buffer {
  return bytesIn(join(directory, name), MOST_BYTES.evidence);
}

function digestsOf(contents: readonly Buffer[]): Array<readonly [name: string, sha256: string]> {
  return ATTESTED.map((name, i) => [name, sha256Of(contents[i] ?? '')] as const);
}

/**
 * Checks a package offline: who vouches for it, and whether its result follows from its evidence.
 * @param keys one of which must be the vendor's and have signed the package; without any, signatures are not checked
 * @throws UsageError if there is no such directory
 */
export function verifyPackage(directory: string, keys: readonly VendorKey[]) {
  const strangers = namesIn(directory).filter((name) => !FILES.includes(name));
  const unwanted = strangers.map((name) => `${JSON.stringify(name)} does not belong in a package`);
  const checks = [check('package', unwanted)];
  let [conformance, signer]: [Conformance | null, VendorKey | null] = [null, null];
  // The check that fails if the next step of reading fails.
  let reading = 'package';
  try {
    const contents = ATTESTED.map((name) => readFile(directory, name)) as [Buffer, Buffer, Buffer];
    const attestation = readFile(directory, ATTESTATION);
    reading = 'attestation';
    const envelope = envelopeIn(attestation, ATTESTATION);
    reading = 'schemas';
    const read = readResult(contents[0], contents[1]);
    conformance = read.given;
    const signers = signersOf(envelope, keys);
    const vendor = plain(conformance.target.vendor);
    signer = signers.find((key) => plain(key.vendor) === vendor) ?? null;
    const signature = check('signature', signer ? [] : [whyNotSigned(signers, conformance)]);
    const unchecked: Check = { name: 'signature', verdict: 'unchecked', problems: [] };
    const results = resultChecks(read);
    checks.push(check('schemas', []), keys.length > 0 ? signature : unchecked, ...results);
    // Of another version, neither can be made again.
    if (results.some(({ name }) => name === 'result')) {
      const attested = Buffer.from(envelope.payload, 'base64').toString();
      const isSame = Buffer.from(renderPage(read.again)).equals(contents[2]);
      const wrong = 'index.html is not the page that this suite makes of the result: it was changed';
      checks.push(check('attestation', attestationProblems(attested, conformance, contents)));
      checks.push(check('page', isSame ? [] : [wrong]));
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    checks.push(check(reading, [error.message]));
  }
  const { target, startedAt, profiles = null } = conformance ?? {};
  return {
    package: directory,
    isFine: checks.every(({ verdict }) => verdict !== 'failed'),
    vendor: target?.vendor ?? null,
    product: target?.product ?? target?.name ?? null,
    version: target?.version ?? null,
    /** The vendor whose key signed, the file of the key and its SHA-256; `null` if none of the keys given did. */
    signer: signer && { vendor: signer.vendor, key: signer.name, keyid: keyidOf(signer.key) },
    date: startedAt?.slice(0, 10) ?? null,
    profiles,
    checks,
  };
}

function check(name: string, problems: string[]): Check {
  return { name, verdict: problems.length === 0 ? 'ok' : 'failed', problems };
}

function plain(name = ''): string {
  return name.normalize('NFC').trim().replace(/\s+/g, ' ');
}

function whyNotSigned(signers: readonly VendorKey[], { target: { vendor } }: Conformance): string {
  if (signers.length === 0) return 'none of the keys given signed it, or what is signed was changed';
  const vouched = listed(new Set(signers.map((key) => JSON.stringify(key.vendor))));
  const declared = vendor === undefined ? 'it declares no vendor' : `its vendor is ${JSON.stringify(cut(vendor, 200))}`;
  return `${declared}, and the key that signed it vouches for ${vouched} alone`;
}

/** The attestation is the one that `certify` writes of these files, byte by byte. */
function attestationProblems(attested: string, conformance: Conformance, contents: readonly Buffer[]): string[] {
  const digests = digestsOf(contents);
  const changed = digests.filter(([, sha256]) => !attested.includes(sha256));
  if (changed.length > 0) return changed.map(([name]) => `${name} is not the file that is attested: it was changed`);
  const isSame = attested === JSON.stringify(statementOf(conformance, digests));
  return isSame ? [] : ['attestation.json does not say what conformance.json says'];
}

/**
 * Reads a result (`given`), and makes it again from its evidence (`again`). What no evidence shows is taken from the
 * result: what changed, notes, and the tests of the user's own.
 * @throws UsageError if one of both is not of this suite
 */
export function readResult(conformance: Buffer, evidence: Buffer) {
  const text = utf8Of(conformance, 'conformance.json');
  const given = resultIn(text, 'conformance.json');
  const har = fromHar(utf8Of(evidence, 'evidence.har'), 'evidence.har');
  const ids = clauseTexts.map(({ id }) => id);
  const judgements = judgementsOf(ids, withoutOwn(har.evidence), given.startedAt.slice(0, 10));
  const ending = { error: null, baseline: null };
  const made = reportInputOf({ ...har, notes: [] }, judgements, ending);
  const { changes, own } = given;
  // The run may have added notes of its own. Those that the evidence gives have to be there.
  const noted = made.conformance.notes;
  const notes = noted.every((note) => given.notes.includes(note)) ? given.notes : noted;
  const digests = { ...made.conformance.digests, evidence: digestOf(evidence) };
  const again: ReportInput = { ...made, conformance: { ...made.conformance, digests, changes, own, notes } };
  return { given, text, har, again };
}

function resultChecks({ given, text, har, again: { conformance: expected } }: ReturnType<typeof readResult>): Check[] {
  const { name, version } = given.suite;
  const edited = 'evidence.har was edited after its run: the seal in it is that of another text';
  const seal = check('seal', har.brokenSeal === undefined ? [] : [edited]);
  // Another version may judge otherwise, and writes other pages.
  if (name !== suite.name || version !== suite.version) {
    const other = `it was made by ${name} ${version}, and this is ${suite.version}: take that version`;
    return [seal, check('version', [other])];
  }
  // A member may occur twice. Some readers take the first, others the last.
  const isAsWritten = text === `${visibleJson(expected)}\n`;
  return [
    seal,
    check('version', []),
    check('result', isAsWritten ? [] : [whyEdited(byId(given), byId(expected))]),
    check('certifiable', expected.certifiable ? [] : obstacles(expected)),
  ];
}

/** The members of a result, and its clauses by their ids. */
function byId({ clauses, ...others }: Conformance): Readonly<Record<string, unknown>> {
  return { ...others, ...Object.fromEntries(clauses.map((clause) => [clause.id, clause])) };
}

function whyEdited(given: ReturnType<typeof byId>, expected: ReturnType<typeof byId>): string {
  const names = Object.keys({ ...expected, ...given });
  const others = names.filter((name) => JSON.stringify(given[name]) !== JSON.stringify(expected[name]));
  if (others.length === 0) return 'conformance.json is not as this suite writes it: it was edited';
  return `conformance.json is not what the evidence gives: ${cut(others.join(', '), LONGEST_LIST)}`;
}

const LONGEST_LIST = 200;

/** Returns one line: the outcome, the server, who signed, and what failed first of each check. */
export function lineOf(entry: Verification): string {
  const { package: path, isFine, product, version, vendor } = entry;
  const server = product === null ? '' : [product, version, vendor && `of ${vendor}`].filter(Boolean).join(' ');
  const words = [server, server && signerInWords(entry), problemsOf(entry.checks)].filter(Boolean).join('; ');
  return `${isFine ? 'verified' : 'failed  '}  ${path}: ${words}`;
}

function signerInWords({ signer, checks }: Verification): string {
  if (signer) return `signed by ${signer.vendor} (${signer.key})`;
  const isChecked = checks.some(({ name, verdict }) => name === 'signature' && verdict !== 'unchecked');
  return isChecked ? 'signed by nobody known' : 'signature not checked';
}

function problemsOf(checks: Check[]): string {
  return checks
    .filter(({ verdict }) => verdict === 'failed')
    .map(({ name, problems: [first, ...more] }) => {
      return `${name}: ${first}${more.length > 0 ? ` (and ${more.length} more)` : ''}`;
    })
    .join('; ');
}

/** Returns the list as GitHub-flavoured Markdown. */
export function markdownOf(entries: readonly Verification[]): string {
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
