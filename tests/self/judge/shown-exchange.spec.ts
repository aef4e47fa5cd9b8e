/** What a failure message shows: the exchange that its sentence speaks of, asked for as plainly as possible. */
import { expect, test } from '@playwright/test';
import { messageOf } from '../../../src/report/breach/message';
import { runAgainstBent, serverNamed } from '../support/simulation';

/** The messages about the faults of a server, by clause. */
async function messagesFor(name: string): Promise<Map<string, string>> {
  const { judgements, recorder } = await runAgainstBent([serverNamed(name)]);
  return new Map(judgements.map((judgement) => [judgement.id, messageOf(judgement, recorder.evidence()) ?? '']));
}

test('an account that is refused because of another is shown refused, and not the other one let in', async () => {
  const message = (await messagesFor('one-budget-for-all')).get('rate.per-user') ?? '';
  expect(message).toMatch(/^ {2}came {5}.*refused while .*\n {11}429$/m);
});
