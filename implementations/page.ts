/** The text of IMPLEMENTATIONS.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clauseText } from '../src/contract/clauses';
import type { Judgement } from '../src/judge/verdict';
import { type Named, type Result, verdictOf } from './measure';

const MARKS: Record<string, string> = { pass: '✓', fail: '✗', warn: '!', 'not-tested': '–', inapplicable: '○' };

/** @param versions of what is no npm package: Node and Redis */
export function pageText(all: readonly Named[], results: readonly Result[], versions: Record<string, string>): string {
  const runs = results[0]?.runs.length ?? 0;
  const set = results.filter(({ variant }) => variant.as === 'set');
  const conformant = set.filter((result) => verdictOf(result) === 'conformant');
  return [
    '# Implementations',
    '',
    'Real rate limiters of the node ecosystem in front of this API, and what the suite says of them: as their documentation',
    'first shows them, and as they have to be set to conform. Each is one small file in `implementations/limiters`, to start',
    'from. The two numbers of the rate are the API’s everywhere: 1 request in 1 second.',
    '',
    'To fail as shown is seldom a defect of the library: this API asks for headers of its own, and for a budget of each',
    'account, whatever its address.',
    '',
    `As set, ${conformant.length} of ${set.length} conform.${exceptions(set)}`,
    '',
    '| limiter | as shown | as set | what makes it conform |',
    '|---|---|---|---|',
    ...all.map((named) => summaryRow(named, results)),
    '',
    ...legend(),
    '',
    '## As shown',
    '',
    ...grid(results.filter(({ variant }) => variant.as === 'shown')),
    '',
    '## As set',
    '',
    ...grid(set),
    '',
    '## One by one',
    '',
    ...all.flatMap((named) => details(named, results)),
    '## How to reproduce it',
    '',
    '```sh',
    'npm ci',
    'npm ci --prefix implementations   # the limiters; the suite itself needs none of them',
    'npm run implementations           # everything, some minutes; writes this file',
    'npm run implementations -- koa    # limiters whose names hold one of the words; writes nothing',
    '```',
    '',
    '`redis-server` must be installed (`apt-get install redis-server`); it is started on a free port of the loopback, without files.',
    `Every server was started afresh ${runs} times, and the whole suite was run against it each time, with three accounts.`,
    `Measured with ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(' and ')}.`,
    '',
  ].join('\n');
}

function legend(): string[] {
  return [
    '✓ passes · ✗ fails (a MUST) · ! warns (a SHOULD) · – not tested, because of another clause that fails or of a server that',
    'never refuses · ○ cannot happen on it',
  ];
}

function exceptions(set: readonly Result[]): string {
  const others = set.filter((result) => verdictOf(result) !== 'conformant');
  if (others.length === 0) return '';
  const names = others.map((result) => `${result.file} with ${result.variant.store} (${verdictOf(result)})`);
  return ` The others: ${names.join(', ')}.`;
}

function summaryRow({ file, packages, setting }: Named, results: readonly Result[]): string {
  const of = (as: string) => results.filter((result) => result.file === file && result.variant.as === as);
  const cell = (as: string) => of(as).map(outcome).join('<br>');
  const [limiter = ''] = packages;
  const name = `[${limiter}](implementations/limiters/${file}.ts) ${versionOf(limiter)}`;
  return `| ${name} | ${cell('shown')} | ${cell('set')} | ${setting.replaceAll('|', '\\|')} |`;
}

/** One variant in the summary: its store, its verdict, and what fails. */
function outcome(result: Result): string {
  const failed = idsOf(result, 'fail').map((id) => `\`${id}\``);
  const verdict = verdictOf(result);
  const why = failed.length > 0 ? `: ${failed.join(', ')}` : '';
  return `${result.variant.store}: ${verdict === 'conformant' ? '**conformant**' : verdict}${why}`;
}

/** Clauses by limiters: those of the rate area, and every other that failed or warned. */
function grid(results: readonly Result[]): string[] {
  const everything = results.flatMap(({ runs }) => runs.flat());
  const ids = [...new Set(everything.map(({ id }) => id))].filter((id) => {
    const accuses = everything.some((judgement) => judgement.id === id && isAccusation(judgement));
    return id.startsWith('rate.') || accuses;
  });
  const files = [...new Set(results.map(({ file }) => file))];
  const columns = files.map((file) => results.filter((result) => result.file === file));
  return [
    `| clause | ${files.join(' | ')} |`,
    `|---|${files.map(() => ':-:|').join('')}`,
    ...ids.map((id) => {
      const level = clauseText(id).level === 'should' ? ' (SHOULD)' : '';
      return `| \`${id}\`${level} | ${columns.map((stores) => byStore(stores, (result) => markOf(result, id))).join(' | ')} |`;
    }),
    `| **verdict** | ${columns.map((stores) => byStore(stores, verdictOf)).join(' | ')} |`,
  ];
}

/** What is so with every store, or what is so with each. */
function byStore(stores: readonly Result[], say: (result: Result) => string): string {
  const said = new Set(stores.map(say));
  if (said.size === 1) return [...said].join();
  return stores.map((result) => `${result.variant.store} ${say(result)}`).join('<br>');
}

/** The mark of a clause; with how many runs it was, where they differ. */
function markOf({ runs }: Result, id: string): string {
  const verdicts = runs.flatMap((judgements) => judgements.filter((judgement) => judgement.id === id));
  const kinds = [...new Set(verdicts.map(({ verdict }) => verdict))];
  return kinds
    .map((kind) => {
      const times = verdicts.filter(({ verdict }) => verdict === kind).length;
      return `${MARKS[kind] ?? kind}${kinds.length > 1 ? ` ${times} of ${runs.length}` : ''}`;
    })
    .join(', ');
}

function details({ file, packages, documentation, shown, setting }: Named, results: readonly Result[]): string[] {
  const reasons = (['shown', 'set'] as const).flatMap((as) => {
    const stores = results.filter((result) => result.file === file && result.variant.as === as);
    const ids = new Set(stores.flatMap((result) => idsOf(result, 'fail', 'warn')));
    return [...ids].map((id) => {
      const accused = stores.filter((result) => idsOf(result, 'fail', 'warn').includes(id));
      const names = accused.map(({ variant }) => variant.store).join(' and ');
      const judgements = accused.flatMap(({ runs }) => runs.flat());
      const found = judgements.filter((judgement) => judgement.id === id && isAccusation(judgement));
      const runs = accused.flatMap((result) => result.runs).length;
      const times = found.length < runs ? `, in ${found.length} of ${runs} runs` : '';
      return `- \`${id}\`, as ${as}, ${names}${times}: ${found[0]?.reason}`;
    });
  });
  return [
    `### ${packages[0]}`,
    '',
    `[Documentation](${documentation}) · [file](implementations/limiters/${file}.ts) · ${packages.map((name) => `${name} ${versionOf(name)}`).join(', ')}`,
    '',
    `*As shown.* ${shown}`,
    '',
    `*As set.* ${setting}`,
    '',
    ...reasons,
    ...(reasons.length > 0 ? [''] : []),
  ];
}

function isAccusation({ verdict }: Judgement): boolean {
  return verdict === 'fail' || verdict === 'warn';
}

function idsOf({ runs }: Result, ...verdicts: string[]): string[] {
  const accusing = runs.flat().filter(({ verdict }) => verdicts.includes(verdict));
  return [...new Set(accusing.map(({ id }) => id))];
}

function versionOf(name: string): string {
  const text = readFileSync(join(__dirname, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
