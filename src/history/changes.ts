/** What is different from earlier results. */

import { type Change, type Conformance, NOT_SELECTED } from '../contract/result';

/** An observation is compared with all of the last so many runs, since some vary by chance. */
const OBSERVED_RUNS = 7;

/**
 * What changed since earlier results: the one that the user named, or the runs of a history, the oldest first. An outage
 * is compared with nothing, and what only one of two runs was asked to test is no change. An observation changed if none
 * of the last seven runs saw one of its values, or all of them saw some and this one saw none.
 * @returns changes, `null` where nothing could be compared; and what a reader must know of it, one sentence each
 */
export function comparedWith(
  earlier: readonly Conformance[],
  result: Conformance,
): { changes: Change[] | null; notes: string[] } {
  const last = earlier.at(-1);
  if (last === undefined || result.error !== null) return { changes: null, notes: [] };
  const when = String(last.startedAt).slice(0, 16).replace('T', ' ');
  if (last.verdict === 'error') {
    const note = `The baseline of ${when} UTC is of a run that could not be done: nothing was compared with it.`;
    return { changes: null, notes: [note] };
  }
  const [then, now] = [last.target, result.target];
  const isOther = then?.name !== now.name && then?.baseURL !== now.baseURL;
  const isPart = [last, result].some(({ clauses }) => clauses.some(({ reason }) => reason === NOT_SELECTED));
  return {
    changes: changesSince(last, earlier.slice(-OBSERVED_RUNS), result),
    notes: [
      `Compared with the run of ${when} UTC.`,
      isOther && `The baseline is of another target: ${then?.name} (${then?.baseURL}).`,
      isPart && 'Only a part of the clauses was selected, then or now: the others and observations were not compared.',
    ].filter((note) => note !== false),
  };
}

/**
 * All differences from earlier results, in verdicts from the last of them, and in observations from all of them. A
 * clause, or an observation, that only one side holds changes from, or to, `null`.
 */
function changesSince(last: Conformance, earlier: readonly Conformance[], result: Conformance): Change[] {
  const unselected = [...last.clauses, ...result.clauses].filter(({ reason }) => reason === NOT_SELECTED);
  const skipped = new Set(unselected.map(({ id }) => id));
  const verdictsIn = ({ clauses }: Conformance) =>
    new Map<string, unknown>(clauses.filter(({ id }) => !skipped.has(id)).map(({ id, verdict }) => [id, verdict]));
  const observed = skipped.size > 0 ? [] : differing(observedIn(earlier), observedIn([result]));
  return [...differing(verdictsIn(last), verdictsIn(result)), ...observed.filter((change) => isNews(change, earlier))];
}

/** Every value that was seen in some results, by observation. */
function observedIn(results: readonly Conformance[]): Map<string, unknown> {
  const ids = new Set(results.flatMap(({ observations }) => Object.keys(observations)));
  return new Map(
    [...ids].map((id) => {
      const values = results.flatMap(({ observations: own }) => (Object.hasOwn(own, id) ? own[id] : []));
      const texts = new Set(values.map((value) => JSON.stringify(value)));
      return [`observations.${id}`, [...texts].sort().map((text) => JSON.parse(text))];
    }),
  );
}

/** Whether a difference from several runs is more than a value that does not come every time. */
function isNews({ id, from, to }: Change, earlier: readonly Conformance[]): boolean {
  if (earlier.length === 1 || !Array.isArray(from)) return true;
  const name = id.replace(/^observations\./, '');
  if (!Array.isArray(to)) return earlier.every(({ observations }) => Object.hasOwn(observations, name));
  const known = new Set(from.map((value) => JSON.stringify(value)));
  return to.some((value) => !known.has(JSON.stringify(value)));
}

function differing(before: Map<string, unknown>, after: Map<string, unknown>): Change[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => {
    const [from, to] = [before.get(id) ?? null, after.get(id) ?? null];
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ id, from, to }];
  });
}
