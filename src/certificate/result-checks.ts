/** What can be checked of a result and its evidence, signed or not. */
import schema from '../../schemas/conformance.schema.json';
import { errorsAgainst } from '../common/json-schema';
import { suite } from '../common/suite';
import { UsageError } from '../common/usage-error';
import { clauseTexts, contractDigest } from '../contract/clauses';
import type { Conformance } from '../contract/result';
import { fromHar, type RecordedHar } from '../evidence/har/read';
import { obstacles } from '../report/words';
import { jsonIn, textIn } from './bounded';
import { type Check, check, unchecked } from './check';
import { clauseDifferences, isOfThisSuite, judgedAgain, resultDifferences } from './judged-again';
import { CLOCK_MS } from './wholeness/times';
import { wholenessOf } from './wholeness/wholeness';

const errorsIn = errorsAgainst(schema);

export type ReadResult = ReturnType<typeof readResult>;

/**
 * Reads a result and its evidence, and judges it again.
 * @returns what is told, and what this suite makes of the evidence
 * @throws UsageError where one of them is not of this suite
 */
export function readResult(conformance: Buffer, evidence: Buffer) {
  const texts = { conformance: textIn(conformance, 'conformance.json'), evidence: textIn(evidence, 'evidence.har') };
  const told = conformanceIn(texts.conformance);
  const har = fromHar(texts.evidence, 'evidence.har', '');
  return { told, har, texts, again: judgedAgain(har, told, evidence) };
}

/** @throws UsageError where a text is no result of this suite */
function conformanceIn(text: string): Conformance {
  const told = jsonIn(text, 'conformance.json');
  const [error] = errorsIn(told);
  if (!error) return told as Conformance;
  const { instancePath, message } = error;
  throw new UsageError(
    `conformance.json is not the result of a run of this suite: ${instancePath.slice(1).replaceAll('/', '.') || 'it'} ${message}.`,
  );
}

/** The checks of a result against its evidence, in the order in which they are told. */
export function resultChecks({ told, har, texts, again }: ReadResult): Check[] {
  const count = `${clauseTexts.length} clauses judged again from the evidence, with the same verdicts`;
  const isAsWritten = !isOfThisSuite(told) || texts.conformance === `${JSON.stringify(told, null, 2)}\n`;
  return [
    versionCheck(told),
    check('verdicts', count, clauseDifferences(told, again.conformance)),
    check('result', 'everything else in conformance.json is what the evidence gives', [
      ...resultDifferences(told, again.conformance),
      ...clockProblems(told, har),
      // A member that stands twice, for one reader to find the first and another the second.
      ...(isAsWritten
        ? []
        : ['conformance.json is not as this suite writes it: it was edited or written by something else']),
    ]),
    ...wholenessOf(har, texts.evidence),
    check('certifiable', 'the run can be certified', again.conformance.certifiable ? [] : obstacles(again.conformance)),
  ];
}

function versionCheck(told: Conformance): Check {
  if (!isOfThisSuite(told))
    return unchecked(
      'version',
      `made by ${told.suite.name} ${told.suite.version}, judged here by ${suite.version}: what differs may come from that, so verify with that version as well`,
    );
  return check(
    'version',
    `made by this version of the suite, ${suite.version}, with the same contract`,
    told.digests.contract === contractDigest ? [] : ['it was judged by another wording of the contract'],
  );
}

/** Whether the exchanges lie within the run. */
function clockProblems({ startedAt, durationMs }: Conformance, { evidence }: RecordedHar): string[] {
  const fromMs = Date.parse(startedAt) - evidence.startedAtEpochMs;
  const isOutside = evidence.exchanges.some(
    ({ sentAtMs, receivedAtMs }) => sentAtMs < fromMs - CLOCK_MS || receivedAtMs > fromMs + durationMs + CLOCK_MS,
  );
  return isOutside ? ['exchanges lie before startedAt, or after the run has ended'] : [];
}
