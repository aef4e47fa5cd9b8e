/** Checks whether evidence is whole. It finds careless editing; evidence that is invented as a whole passes. */
import { plural } from '../common/plural';
import { suite } from '../common/suite';
import type { RecordedHar } from '../evidence/har/read';
import { harParts } from '../evidence/har/write';
import { type Check, check } from './check';
import { burstProblems } from './consistency/bursts';
import { countProblems } from './consistency/count';
import { planProblems } from './consistency/planned';
import { requestProblems } from './consistency/requests';
import { timeProblems } from './consistency/times';

/** Returns the checks of a run. None fails for one that could not be done: it proves nothing. @param source the file's */
export function wholenessOf(har: RecordedHar, source: Buffer): Check[] {
  const { evidence, error } = har;
  const found = (name: string, says: string, trial: () => string[]) => check(name, says, error === null ? trial() : []);
  return [
    found('written', 'evidence.har is as this suite writes it', () => formProblems(har, source)),
    found('plan', 'every probe of the plan is there, or noted as not sent', () => planProblems(evidence)),
    found('requests', `${plural(evidence.exchanges.length, 'request is', 'requests are')} what this suite sends`, () =>
      requestProblems(evidence, har.recordedBy),
    ),
    found('count', 'connections and trials are numbered without gaps', () => countProblems(evidence)),
    found('times', 'times rise, and fit into the duration', () => timeProblems(evidence, har)),
    found('bursts', 'bursts keep to their windows', () => burstProblems(evidence)),
  ];
}

/** The suite always writes the same evidence as the same text. Any other text is not its own. */
function formProblems(har: RecordedHar, source: Buffer): string[] {
  // Another version may write the evidence differently.
  if (har.recordedBy.version !== suite.version) return [];
  let [line, from, isSame] = [1, 0, true];
  for (const part of harParts(har.evidence, har)) {
    const due = Buffer.from(part);
    const found = source.subarray(from, from + due.length);
    isSame = due.equals(found);
    const same = isSame ? due.length : due.findIndex((byte, i) => byte !== found[i]);
    line += due.toString('latin1', 0, same).split('\n').length - 1;
    from += same;
    if (!isSame) break;
  }
  return isSame && from === source.length
    ? []
    : [`line ${line} is not as this suite writes it: the file was edited or written by something else`];
}
