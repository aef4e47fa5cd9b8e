/** What the table of experiments says of itself is true: what each costs, and that none is conducted before it is worth it. */

import { expect, test } from '@playwright/test';
import { brokenServers } from '../../../scripts/bench/servers';
import { simulatedRun } from '../../../scripts/bench/waits';
import { EXPERIMENTS, type Experiment, STAGES, type Stage } from '../../../src/probes/experiments';
import { drawn } from '../level';

interface Conducted {
  experiment: Experiment;
  stage: Stage;
  windows: number;
}

/** Runs against a server, and notes what each experiment took of the simulated time. */
async function conducted(bends: Parameters<typeof simulatedRun>[0], accounts: number): Promise<Conducted[]> {
  const noted: Conducted[] = [];
  const originals = EXPERIMENTS.map(({ conduct }) => conduct);
  for (const experiment of EXPERIMENTS) {
    const { conduct } = experiment;
    experiment.conduct = async (inquiry) => {
      const { recorder, stage } = inquiry;
      const fromMs = recorder.now();
      await conduct(inquiry);
      noted.push({ experiment, stage, windows: (recorder.now() - fromMs) / recorder.pace.windowMs });
    };
  }
  try {
    await simulatedRun(bends, accounts);
  } finally {
    for (const [i, experiment] of EXPERIMENTS.entries()) experiment.conduct = originals[i] as Experiment['conduct'];
  }
  return noted;
}

// What they replace stands in one table, so these run one after another.
test.describe.configure({ mode: 'serial' });

/** They wait like any other, and take long to compute. */
const HEAVY = ['3,000 header lines on every answer', '1 MiB in every body'];
const servers = [
  { name: 'a conformant server', bends: [] },
  ...brokenServers.filter(({ name }) => !HEAVY.includes(name)),
];

for (const accounts of [1, 3])
  for (const { name, bends } of drawn(servers, 4))
    test(`no experiment costs more than it says: ${name}, accounts: ${accounts}`, async () => {
      const all = await conducted(bends, accounts);
      expect(all.length).toBeGreaterThan(0);
      for (const { experiment, stage, windows } of all) {
        expect(windows, experiment.tellsApart.join(', ')).toBeLessThanOrEqual(experiment.windows);
        expect(STAGES.indexOf(stage)).toBeGreaterThanOrEqual(STAGES.indexOf(experiment.from));
      }
    });
