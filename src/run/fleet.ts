/** Many runs in one process, side by side. */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { MARGIN_MS } from '../recorder/pace';
import { loadConfiguration } from '../target/configuration';
import type { FleetMember } from '../target/directory';
import { isOn, type Variables } from '../target/environment';
import type { Target } from '../target/target';
import { UsageError } from '../usage-error';
import { nothingRecorded } from './recorded';
import { finishedRun, type Run, runAgainst } from './run';

/**
 * Prepares a run for each target. What is wrong with one of them becomes the error of its own run.
 * @throws UsageError for what concerns all of them
 */
export function prepareFleet(fleet: readonly FleetMember[], variables: Variables): Map<string, Run> {
  for (const name of ['REPLAY', 'BASELINE'])
    if (variables[name]) throw new UsageError(`${name} is for one target: set TARGET instead of TARGETS.`);
  for (const name of ['RISKY_PROBES', 'STRICT', 'REQUIRE_COMPLETE', 'INSECURE_TLS']) isOn(variables, name);
  const ignored = ['TARGET', 'BASE_URL'].filter((name) => variables[name]);
  const notices = ignored.map(
    (name) => `${name} is set, but so is TARGETS: the target files alone say what is judged.`,
  );
  const turns = new Turns();
  return new Map(
    fleet.map((member, i) => [member.name, { ...prepared(member, variables, turns), notices: i === 0 ? notices : [] }]),
  );
}

function prepared({ name, file }: FleetMember, variables: Variables, turns: Turns): Run {
  try {
    const configuration = loadConfiguration({ ...variables, TARGET: file, BASE_URL: undefined });
    if (!configuration.target) throw new Error('There is no target.');
    return runAgainst(configuration.target, configuration, null, turns);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return unusable(name, error.message);
  }
}

/** Lets targets that share a key of one server go one after another, so that neither uses up the other's budget. */
export class Turns {
  private readonly last = new Map<string, Promise<void>>();

  /** Does the work when the turns before it that share a key with the target are over. */
  async take(target: Target, work: () => Promise<void>): Promise<void> {
    const budgets = target.accounts.map(({ apiKey }) =>
      createHash('sha256')
        .update(`${new URL(target.baseURL).href}\n${apiKey}`)
        .digest('hex'),
    );
    const before = budgets.map((budget) => this.last.get(budget)).filter((one) => one !== undefined);
    const done = Promise.all(before).then(async () => {
      if (before.length > 0) await pause(target.rate.seconds * 1000 + MARGIN_MS);
      await work();
    });
    for (const budget of budgets) this.last.set(budget, done);
    return done;
  }
}

function unusable(name: string, error: string): Run {
  return finishedRun(nothingRecorded(name, error), { notices: [], requireComplete: false, strict: false }, null);
}
