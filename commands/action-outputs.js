// The outputs of the GitHub action, from the results of its run. No text of a server's can become one: verdicts and
// clause ids have a form of their own.
const { appendFileSync, existsSync, readFileSync } = require('node:fs');
const { join, resolve } = require('node:path');

const WORST_FIRST = ['error', 'non-conformant', 'incomplete', 'conformant'];
const CLAUSE_ID = /^[a-z]+\.[a-z0-9-]+$/;

const results = resolve(process.env.GITHUB_WORKSPACE ?? '.', process.env.RESULTS_DIR || 'results');
const read = (name) => {
  const file = join(results, name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
};

/** What each target's result says; of many targets, `fleet.json` names them. */
function outputs() {
  const fleet = read('fleet.json');
  const names = fleet ? fleet.targets.map(({ name }) => join(name, 'conformance.json')) : ['conformance.json'];
  const found = names.map(read);
  const failed = found.flatMap((result) => result?.clauses ?? []).filter(
    ({ level, verdict }) => level === 'must' && verdict === 'fail',
  );
  return {
    // Without a result, the run could not be done.
    verdict: WORST_FIRST.find((verdict) => found.some((result) => (result?.verdict ?? 'error') === verdict)) ?? 'error',
    failed: [...new Set(failed.map(({ id }) => id))].filter((id) => CLAUSE_ID.test(id)).join(' '),
    certifiable: found.length > 0 && found.every((result) => result?.certifiable === true),
    'results-dir': results,
  };
}

const lines = Object.entries(outputs()).map(([name, value]) => `${name}=${`${value}`.replaceAll('\n', ' ')}\n`);
appendFileSync(process.env.GITHUB_OUTPUT, lines.join(''));
