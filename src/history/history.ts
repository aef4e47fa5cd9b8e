/** Earlier runs against one target: what `HISTORY` keeps of them, what changed since, and how steadily clauses pass. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../common/errors';
import { namesIn, save, textIn } from '../common/files';
import { compact, plural, visibleJson } from '../common/text';
import { type Change, type Conformance, resultIn, type Verdict } from '../contract/result';
import { neverAccepted } from '../judge/valid-keys';

/** So many of the last ones are read. */
const MOST_RUNS = 90;
/** The most bytes of one that is read: a result has a tenth of that. */
const MOST_BYTES = 2 ** 20;
/** Each run has one file, named after its start. */
const FILE = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.json$/;

/** Earlier runs, the oldest first. */
export interface Past {
  runs: Conformance[];
  /** Files that could not be used, one sentence each. */
  notes: string[];
}

/** Reads what earlier runs left. A file that cannot be read becomes a note. @param directory it may not exist yet */
export function readPast(directory: string): Past {
  const past: Past = { runs: [], notes: [] };
  const isThere = statSync(directory, { throwIfNoEntry: false })?.isDirectory();
  const names = isThere ? namesIn(directory, 'HISTORY: ').filter((name) => FILE.test(name)) : [];
  for (const name of names.slice(-MOST_RUNS))
    try {
      const file = join(directory, name);
      past.runs.push(resultIn(textIn(file, MOST_BYTES, 'HISTORY: '), `HISTORY: ${file}`));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      past.notes.push(`${error.message.replace(/\.$/, '')}, and was left out.`);
    }
  return past;
}

/** Returns what is earlier than a result and of the same target, by name and address. */
export function pastOf({ runs, notes }: Past, { target, startedAt }: Conformance): Past {
  const isSame = ({ target: { name, baseURL, embedded } }: Conformance) =>
    // The embedded server has another port each time.
    name === target.name && (baseURL === target.baseURL || (embedded && target.embedded));
  return { runs: runs.filter((run) => isSame(run) && run.startedAt < startedAt), notes };
}

/** Keeps the result of a whole, judged run. @throws UsageError if it cannot be written */
export function storeRun(directory: string, result: Conformance): void {
  const { startedAt, error, clauses } = result;
  if (error !== null || clauses.some(({ untested }) => untested === 'not-selected')) return;
  const file = join(directory, `${startedAt.replaceAll(':', '-')}.json`);
  save(file, `${visibleJson(result, 0)}\n`, 'this run is not kept', undefined, 'HISTORY: ');
}

/** An observation is compared with this many of the last runs, because some values vary by chance. */
const OBSERVED_RUNS = 7;

/**
 * Returns what changed since earlier results. Verdicts are compared with the last earlier result, observations with the
 * last seven. A run that could not be done is compared with nothing. A clause that either run did not select is left
 * out. An observation has changed if it has a value that no earlier run saw, or lacks one that every earlier run saw.
 * @param earlier.baseline the one result that the user named; it comes before the history
 * @param earlier.past the runs of the history, the oldest first
 * @returns `changes`: `null` if nothing could be compared; `notes`: what a reader must know, one sentence each
 */
export function comparedWith(
  { baseline, past }: { baseline: Conformance | null; past: Past | null },
  result: Conformance,
): { changes: Change[] | null; notes: string[] } {
  const earlier = baseline ? [baseline] : (past?.runs ?? []);
  const last = earlier.at(-1);
  if (last === undefined) return { changes: null, notes: [] };
  const when = `${last.startedAt.slice(0, 16).replace('T', ' ')} UTC`;
  const rotated = keysNoLongerAccepted(last, result).map(
    (account) => `The key of ${account} was accepted in the run of ${when}, and is not any more: was it rotated?`,
  );
  if (result.error !== null) return { changes: null, notes: rotated };
  if (last.verdict === 'error') {
    const note = `The baseline of ${when} is of a run that could not be done: nothing was compared with it.`;
    return { changes: null, notes: [note] };
  }
  const [then, now] = [last.target, result.target];
  const isOther = then.name !== now.name && then.baseURL !== now.baseURL;
  const clauses = [...last.clauses, ...result.clauses];
  const unselected = clauses.filter(({ untested }) => untested === 'not-selected').map(({ id }) => id);
  const isPart = unselected.length > 0;
  const compared = [...new Set(clauses.map(({ id }) => id))].filter((id) => !unselected.includes(id));
  const verdicts = compared.map((id) => ({ id, from: verdictIn(last, id), to: verdictIn(result, id) }));
  const observed = isPart ? [] : newObservations(earlier.slice(-OBSERVED_RUNS), result);
  const changes = [...verdicts.filter(({ from, to }) => from !== to), ...observed];
  return {
    changes,
    notes: compact(
      `Compared with ${baseline ? 'the baseline, a run of' : 'the last run of the history, of'} ${when}.`,
      ...rotated,
      isOther && `The baseline is of another target: ${then.name} (${then.baseURL}).`,
      changes.length === 0 && 'No verdict and no observation changed.',
      isPart && 'Only a part of the clauses was selected, then or now: the others and observations were not compared.',
    ),
  };
}

function verdictIn({ clauses }: Conformance, id: string): Verdict | null {
  return clauses.find((clause) => clause.id === id)?.verdict ?? null;
}

function keysNoLongerAccepted(then: Conformance, now: Conformance): string[] {
  const accepted = ({ clauses }: Conformance) => clauses.find(({ id }) => id === 'auth.accepted');
  const isRejected = (run: Conformance, account: string) =>
    accepted(run)?.finding?.some(({ subject }) => subject.name === neverAccepted(account)) ?? false;
  if (accepted(then)?.verdict === 'not-tested') return [];
  return then.target.accounts.filter((account) => isRejected(now, account) && !isRejected(then, account));
}

function newObservations(earlier: readonly Conformance[], result: Conformance): Change[] {
  const ids = new Set([...earlier, result].flatMap(({ observations }) => Object.keys(observations)));
  return [...ids].flatMap((id) => {
    const before = earlier.map((run) => seenIn(run, id));
    const [from, to] = [[...new Set(before.flat())].sort(), seenIn(result, id)];
    const isGone = (text: string) => !to.includes(text) && before.every((texts) => texts.includes(text));
    if (!to.some((text) => !from.includes(text)) && !from.some(isGone)) return [];
    const valuesOf = (texts: string[]) => (texts.length > 0 ? JSON.parse(`[${texts}]`) : null);
    return [{ id: `observations.${id}`, from: valuesOf(from), to: valuesOf(to) }];
  });
}

/** Returns each value that a run saw, as JSON. An observation that was not made has none. */
function seenIn({ observations }: Conformance, id: string): string[] {
  return Object.hasOwn(observations, id) ? (observations[id] ?? []).map((value) => JSON.stringify(value)) : [];
}

/** A clause is intermittent if it changes between failing and not failing this often within so many runs. */
const [CHANGES, RECENT_RUNS] = [3, 30];

/** Since when a clause has failed, and whether it fails only now and then. */
export interface Trend {
  id: string;
  text: string;
}

/** Returns the clauses that fail, or are intermittent. A waiver hides a failure from the run, but not from its history. */
export function trendsOf({ runs }: Past, result: Conformance): Trend[] {
  if (result.error !== null) return [];
  return result.clauses.flatMap(({ id, verdict: now }) => {
    const judged = [...runs, result].flatMap((run) => {
      const verdict = verdictIn(run, id);
      return verdict === null || verdict === 'not-tested' ? [] : { ...run, fails: isFailure(verdict) };
    });
    const lastPass = judged.findLastIndex(({ fails }) => !fails);
    const since = isFailure(now) ? judged[lastPass + 1]?.startedAt.slice(0, 10) : undefined;
    // It may have failed even earlier, if it never passed in more than one run.
    const orEarlier = lastPass < 0 && judged.length > 1 ? ' or earlier' : '';
    const recent = judged.slice(-RECENT_RUNS).map(({ fails }) => fails);
    const isIntermittent = recent.filter((fails, i) => i > 0 && fails !== recent[i - 1]).length >= CHANGES;
    const failed = recent.filter(Boolean).length;
    const text = compact(
      isIntermittent && `intermittent: failed in ${failed} of the last ${plural(recent.length, 'run')}`,
      since && `failing since ${since}${orEarlier}`,
    ).join('; ');
    return text === '' ? [] : { id, text };
  });
}

function isFailure(verdict: Verdict): boolean {
  return verdict === 'fail' || verdict === 'waived';
}
