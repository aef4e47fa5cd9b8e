import { wholeJsonIn } from '../common/json-text';
import { utf8Of } from '../common/plain-file';
import { UsageError } from '../common/usage-error';
import type { Conformance } from '../contract/result';
import { duplicateMembers } from '../evidence/http/json';
import { renderPage } from '../report/page/page';
import { type Check, check, unchecked } from './check';
import { type Envelope, envelopeIn, signersOf } from './envelope';
import type { NamedKey } from './keys';
import { ATTESTATION, ATTESTED, type Contents, digestsOf, readFiles, strangersIn } from './package';
import { differencesBetween, isOfThisSuite, type ReadResult, readResult, resultChecks } from './result-checks';
import { PAYLOAD_TYPE, type Statement, statementOf } from './statement';

export type Verification = ReturnType<typeof verifyPackage>;

/**
 * Checks a package offline: who vouches for it, and whether its result follows from its evidence.
 * @param keys public keys, one of which must have signed the package; without any, the signature is not checked
 * @returns every check that could be made; `signers`, those of the keys that signed; `conformance`, the package's result; `again`, what this suite makes of the
 *   evidence. The last two are `null` if the package could not be read.
 */
export function verifyPackage<Key extends NamedKey>(directory: string, keys: readonly Key[]) {
  const checks: Check[] = [];
  let [read, signers]: [ReadResult | null, readonly Key[]] = [null, []];
  // The check that fails if the next step of reading fails.
  let reading = 'package';
  try {
    const strangers = strangersIn(directory).map((name) => `${name} does not belong in a package`);
    const contents = readFiles(directory, ...ATTESTED, ATTESTATION);
    checks.push(check('package', `${[...ATTESTED, ATTESTATION].join(', ')}, and nothing else`, strangers));
    const attested = attestedIn(contents, keys);
    signers = attested.signers;
    checks.push(...attested.checks);
    reading = 'schemas';
    read = readResult(contents['conformance.json'], contents['evidence.har']);
    checks.push(
      check('schemas', 'conformance.json and evidence.har fit their schemas', []),
      ...(attested.statement ? [statementCheck(attested.statement, read.told, contents)] : []),
      ...resultChecks(read),
      pageCheck(read, contents['index.html']),
    );
  } catch (error) {
    checks.push(check(reading, '', [messageOf(error)]));
  }
  const isFine = checks.every(({ verdict }) => verdict !== 'failed');
  return { package: directory, isFine, checks, signers, conformance: read?.told ?? null, again: read?.again ?? null };
}

/** Returns what an attestation says and who signed it, with its checks. Where it cannot be read, the result still is. */
function attestedIn<Key extends NamedKey>(contents: Contents & { [ATTESTATION]: Buffer }, keys: readonly Key[]) {
  try {
    const envelope = envelopeIn(jsonIn(utf8Of(contents[ATTESTATION], ATTESTATION), ATTESTATION), ATTESTATION);
    const signers = signersOf(envelope, keys);
    const statement = statementIn(envelope);
    const isOne = check('attestation', 'a DSSE envelope around an in-toto statement about files', []);
    const checks = [isOne, signatureCheck(envelope, keys, signers), digestCheck(statement, contents)];
    return { signers, statement, checks };
  } catch (error) {
    return { signers: [], statement: null, checks: [check('attestation', '', [messageOf(error)])] };
  }
}

function messageOf(error: unknown): string {
  if (error instanceof UsageError) return error.message;
  // Brackets within brackets can be nested deeper than the stack allows.
  if (error instanceof RangeError) return 'a file is nested too deeply or too large to be read';
  throw error;
}

function signatureCheck(envelope: Envelope, keys: readonly NamedKey[], [signer]: readonly NamedKey[]): Check {
  const [first] = envelope.signatures;
  if (first === undefined) return check('signature', '', ['nobody has signed it']);
  if (keys.length === 0)
    return unchecked('signature', 'give --key PUBLIC to see whether it was made with a key that you trust');
  const given = keys.length === 1 ? `the key ${keys[0]?.name}` : 'any of the keys given';
  return check(
    'signature',
    `made with the key ${signer?.name}: its owner vouches for the package, which does not show that the run happened`,
    signer ? [] : [`it was not made with ${given}, or what is signed was changed`],
  );
}

function statementIn({ payloadType, payload }: Envelope): Statement {
  if (payloadType !== PAYLOAD_TYPE)
    throw new UsageError(`${ATTESTATION} holds something else than an in-toto statement (${PAYLOAD_TYPE}).`);
  const name = `the payload of ${ATTESTATION}`;
  const statement = jsonIn(utf8Of(Buffer.from(payload, 'base64'), name), name) as Statement | null;
  const isStatement =
    Array.isArray(statement?.subject) &&
    statement.subject.every((file) => typeof file?.name === 'string' && typeof file?.digest?.sha256 === 'string');
  if (!isStatement) throw new UsageError(`${name} is no in-toto statement about files and their SHA-256.`);
  if (new Set(statement.subject.map((file) => file.name)).size < statement.subject.length)
    throw new UsageError(`${name} names a file twice.`);
  return statement;
}

/** Returns the value of a JSON text. @throws UsageError if it is not whole, or holds a member twice */
function jsonIn(text: string, name: string): unknown {
  const value = wholeJsonIn(text, name);
  if (duplicateMembers(text).length > 0) throw new UsageError(`${name} holds a member twice.`);
  return value;
}

function digestCheck({ subject }: Statement, contents: Contents): Check {
  const due = new Map(digestsOf(contents));
  const given = new Map(subject.map(({ name, digest }) => [name, digest.sha256]));
  return check('digests', `${ATTESTED.join(', ')} are the files that are attested`, [
    ...[...due.keys()]
      .filter((name) => given.get(name) !== due.get(name))
      .map((name) => `${name} is not the file that is attested: ${given.has(name) ? 'it was changed' : 'none is'}`),
    ...[...given.keys()]
      .filter((name) => !due.has(name))
      .map((name) => `${JSON.stringify(name.slice(0, 80))} is attested, and is no file of a package`),
  ]);
}

/** Checks that the attestation says what the result says. The digests have a check of their own. */
function statementCheck(statement: Statement, told: Conformance, contents: Contents): Check {
  const due = statementOf(told, digestsOf(contents));
  const problems = isOfThisSuite(told)
    ? differencesBetween({ ...statement, subject: [] }, { ...due, subject: [] })
    : differencesBetween(statement.predicateType, due.predicateType);
  return check('statement', 'the attestation says what conformance.json says', problems);
}

function pageCheck({ told, again }: ReadResult, page: Buffer): Check {
  if (!isOfThisSuite(told)) return unchecked('page', 'index.html can only be made again by the version that made it');
  const says = 'the page that this suite makes of the result';
  const isSame = Buffer.from(renderPage(again)).equals(page);
  return check('page', `index.html is ${says}`, isSame ? [] : [`index.html is not ${says}: it was changed`]);
}
