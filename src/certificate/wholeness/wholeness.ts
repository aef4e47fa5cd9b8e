/**
 * Whether the evidence of a run is whole. Each check finds what a careless hand leaves; whoever makes up a whole run
 * with all its times and answers, and judges it, passes them all.
 */
import type { RecordedHar } from '../../evidence/har/read';
import { harTextOf } from '../../evidence/har/write';
import { suite } from '../../suite';
import { burstProblems } from './bursts';
import { countProblems } from './count';
import { planProblems } from './planned';
import { requestProblems } from './requests';
import { timeProblems } from './times';

/** What was looked at, and what does not add up: one sentence each. */
export interface Wholeness {
  /** Every probe of the plan is there, or noted as not sent. */
  plan: string[];
  /** Requests are those that this suite sends. */
  requests: string[];
  /** Connections and looks are numbered without gaps. */
  count: string[];
  /** Times rise, and fit into the duration. */
  times: string[];
  /** Bursts keep to themselves, and begin with a whole budget. */
  bursts: string[];
  /** The file is written as this suite writes it. */
  form: string[];
}

/**
 * What does not add up in a run that was read from a file.
 * @param text what the file holds
 * @returns empty lists for a run that could not be done: it proves nothing anyway
 */
export function wholenessOf(har: RecordedHar, text: string): Wholeness {
  const { evidence, recordedBy } = har;
  if (har.error !== null) return { plan: [], requests: [], count: [], times: [], bursts: [], form: [] };
  return {
    plan: planProblems(evidence),
    requests: requestProblems(evidence, recordedBy),
    count: countProblems(evidence),
    times: timeProblems(evidence, har),
    bursts: burstProblems(evidence),
    form: formProblems(har, text),
  };
}

/** The suite writes the same evidence in the same way, so any other text was written by somebody else. */
function formProblems(har: RecordedHar, text: string): string[] {
  // Another version may write it otherwise.
  if (har.recordedBy.version !== suite.version) return [];
  const written = harTextOf(har.evidence, har);
  if (written === text) return [];
  const [mine, theirs] = [written.split('\n'), text.split('\n')];
  const line = mine.findIndex((each, i) => each !== theirs[i]);
  return [
    `line ${line < 0 ? mine.length : line + 1} is not as this suite writes it: the file was edited or written by something else`,
  ];
}
