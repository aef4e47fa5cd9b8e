/** The servers of the matrix that need real connections. They wait nearly all of the time, so all of them run at once. */
import { expect, test } from '@playwright/test';
import { accusationsOf, catalogueJobs, type Job, oddIn } from '../../../scripts/matrix/jobs';

// On a busy machine the last one waits for long.
test.describe.configure({ timeout: 900_000 });

/** How many run at one time. */
const AT_ONCE = 16;
/** A busy machine can delay what a clause measures, so a fault is looked at so often. An accused dialect stays accused. */
const LOOKS = { fault: 3, dialect: 1, combination: 1, pair: 1 };

const jobs = catalogueJobs().filter(({ wire }) => wire);
const odd = new Map<Job, Promise<string[]>>();

async function look(job: Job): Promise<string[]> {
  let found: string[] = [];
  for (let looks = 0; looks < LOOKS[job.kind]; looks += 1) {
    // A fault is asked for its own clauses first: some show only in what is sent for others.
    const ids = job.kind === 'fault' && looks === 0 ? job.breaks : undefined;
    found = oddIn(job, await accusationsOf(job, 0, ids));
    if (found.length === 0) break;
  }
  return found;
}

test.beforeAll(() => {
  const lanes: Promise<unknown>[] = Array.from({ length: AT_ONCE }, async () => undefined);
  for (const [i, job] of jobs.entries()) {
    const found = (lanes[i % AT_ONCE] as Promise<unknown>).then(() => look(job));
    odd.set(job, found);
    lanes[i % AT_ONCE] = found.catch(() => undefined);
  }
});

for (const job of jobs)
  test(`${job.kind} ${job.name} ${job.breaks.length > 0 ? `breaks ${job.breaks.join(', ')}` : 'conforms'}`, async () => {
    expect(await odd.get(job), job.says).toEqual([]);
  });
