/** What clauses say of bodies that earlier versions did not keep: evidence of theirs has the verdicts it had. */
import { expect, test } from '@playwright/test';
import { clauseTexts } from '../../../src/contract/clauses';
import { fromHar } from '../../../src/evidence/har/read';
import { WITHHELD, withheldIn } from '../../../src/evidence/markers';
import type { Evidence, Exchange } from '../../../src/evidence/model';
import { judgementsOf } from '../../../src/judge/rules';
import { evidenceOf, found } from '../support/evidence-of';
import { runHere } from '../support/run-here';

const bodyOf = (isTooDeep = false) =>
  `[withheld: 1000000 bytes, sha256:${'ab'.repeat(32)}${isTooDeep ? ', nested too deeply' : ''}]`;
const REASON = `${WITHHELD.charAt(0).toUpperCase()}${WITHHELD.slice(1)}.`;

/** A run against a server that conforms. */
let whole: Evidence;
test.beforeAll(async () => {
  const run = await runHere();
  whole = fromHar(Buffer.from(run.text('evidence.har')), 'a run').evidence;
});

/** The verdicts and reasons that differ from those of the whole evidence. */
function changed(evidence: Evidence): Record<string, string | null> {
  const ids = clauseTexts.map(({ id }) => id);
  const [before, after] = [whole, evidence].map((recorded) => judgementsOf(ids, recorded, '2026-06-15'));
  const others = ids.filter((id) => before?.get(id)?.verdict !== after?.get(id)?.verdict);
  return Object.fromEntries(others.map((id) => [id, `${after?.get(id)?.verdict}: ${after?.get(id)?.reason}`]));
}

function withholding(isWithheld: (exchange: Exchange) => boolean, isTooDeep = false): Evidence {
  const exchanges = whole.exchanges.map((exchange) =>
    exchange.response && isWithheld(exchange)
      ? { ...exchange, response: { ...exchange.response, body: bodyOf(isTooDeep) } }
      : exchange,
  );
  return { ...whole, exchanges };
}

const OF_ALL_BODIES = ['auth.key-not-echoed', 'settings.password-absent'];
const notTested = (...ids: string[]) => Object.fromEntries(ids.map((id) => [id, `not-tested: ${REASON}`]));

test('whatever is withheld accuses the server of nothing', () => {
  const verdicts = Object.values(changed(withholding(() => true)));
  expect(verdicts.filter((verdict) => !verdict?.startsWith('not-tested: '))).toEqual([]);
  expect(verdicts.length).toBeGreaterThan(20);
});

test('the settings are judged by the reads that were kept', () => {
  const [first] = whole.exchanges.filter(({ account, probe }) => account !== null && probe.group === 'read');
  expect(changed(withholding((exchange) => exchange === first))).toEqual(notTested(...OF_ALL_BODIES));
});

test('accounts of which one was not seen are not said to have the same settings', () => {
  const ofAllButOne = changed(
    withholding(({ account }) => account !== null && account !== whole.exchanges[0]?.account),
  );
  expect(ofAllButOne['auth.own-settings']).toBe(`not-tested: ${REASON}`);
});

test('what no rejection may hold is not tested where one was withheld', () => {
  const [first] = whole.exchanges.filter(({ probe }) => probe.group === 'missing-key');
  expect(changed(withholding((exchange) => exchange === first))).toEqual(
    notTested('auth.rejection-discloses-nothing', ...OF_ALL_BODIES),
  );
});

test('too deep a nesting that was seen is told', () => {
  const deep = changed(withholding(({ account, probe }) => account !== null && probe.group === 'read', true));
  expect(deep['settings.json']).toMatch(/^fail: JSON nested more than 500 levels deep/);
  expect(Object.keys(deep).filter((id) => deep[id]?.startsWith('fail'))).toEqual(['settings.json']);
});

test('a breach that was seen counts beside what was withheld', () => {
  const twice = '{"webhook":{},"webhook":{}}';
  expect(found('settings.json', evidenceOf([{ body: twice }, { body: bodyOf() }]))).toEqual([
    'webhook: twice in one object',
  ]);
  expect(found('settings.json', evidenceOf([{ body: bodyOf() }]))).toBe(WITHHELD);
});

test('only the whole of a body says that it was withheld', () => {
  expect(withheldIn(bodyOf())).toEqual({ isTooDeep: false });
  expect(withheldIn(bodyOf(true))).toEqual({ isTooDeep: true });
  for (const body of ['', ` ${bodyOf()}`, `${bodyOf()} `, '[withheld: 3 bytes]']) expect(withheldIn(body)).toBeNull();
});
