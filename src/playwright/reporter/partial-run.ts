/** Handles runs in which only some clauses, or none, were selected: by the command line, by the configuration, by a shard. */
import { join } from 'node:path';
import type { FullConfig, FullProject, Suite, TestCase, TestRun } from '@playwright/test/reporter';
import { command } from '../../common/suite';
import { clauseTexts } from '../../contract/clauses';
import { nearestClauses, TAGS } from '../../contract/nearest';
import { CHOICE, embedding, isConformanceProject } from '../setup/suite-config';
import { clauseIdOf } from './selection';

/** Where the results of a part go, below those of whole runs. */
const PART = 'part';

/** Options of Playwright that select tests, or let the user select them later. */
const SELECTS =
  /^(?:-[gG].*|--(?:grep|grep-invert|project|last-failed|only-changed|test-list|test-list-invert|ui|ui-host|ui-port)(?:=.*)?)$/;
/** Options of Playwright whose value is the next word. */
const TAKES_A_VALUE =
  /^(?:-[cj]|--(?:add-reporter|browser|config|global-timeout|last-failed-file|max-failures|output|repeat-each|reporter|retries|run-agents|shard|timeout|trace|tsconfig|update-source-method|workers))$/;

/**
 * Returns where the results of a run go. A part has its own directory, so that the whole run's results stay.
 * @param ids clauses of the selected tests; `null` if no test was loaded: then the command line decides
 * @param words the command line, from Playwright's command on
 */
export function directoryFor(ids: readonly string[] | null, directory: string, words: readonly string[]): string {
  const selected = new Set(ids);
  const isWhole =
    ids === null ? words[0] === 'test' && !selectsTests(words) : clauseTexts.every(({ id }) => selected.has(id));
  return isWhole ? directory : join(directory, PART);
}

/** Whether the command line selects tests. @param words the command line, from Playwright's command on */
export function selectsTests(words: readonly string[]): boolean {
  return words.slice(1).some((word, i) => SELECTS.test(word) || namesFile(word, words[i]));
}

/** Where Playwright was asked to write its page; empty if it was not. */
let placed = '';

/** Puts Playwright's page into `directory`, where this run's results go, unless the user wants it elsewhere. */
export function placeReport({ reporter }: Pick<FullConfig, 'reporter'>, root: string, directory: string): void {
  const [, options] = reporter.find(([name]) => name === 'html') ?? [];
  const folder = process.env.PLAYWRIGHT_HTML_OUTPUT_DIR ?? options?.outputFolder;
  const reportFolder = (place: string) => join(place, 'playwright-report');
  // In UI mode, an earlier run of this process may have placed it.
  const isOurs = [root, join(root, PART)].some((place) => reportFolder(place) === folder);
  if (isOurs) process.env.PLAYWRIGHT_HTML_OUTPUT_DIR = placed = reportFolder(directory);
}

/** Lets Playwright name the folder in its hint at `show-report`, which it leaves out if the variable names it. */
export function reportIsPlaced(): void {
  if (process.env.PLAYWRIGHT_HTML_OUTPUT_DIR === placed) delete process.env.PLAYWRIGHT_HTML_OUTPUT_DIR;
}

/** Whether a word of the command line is part of a file name: no option, and no option's value. */
function namesFile(word: string, before = ''): boolean {
  return !word.startsWith('-') && !TAKES_A_VALUE.test(before) && !SELECTS.test(before);
}

/** Returns why the lists of tests that the command line names select none; empty if it names no list. */
export function whyListsSelectNone(words: readonly string[]): string {
  const option = words.find((word) => /^--test-list(?:-invert)?(?:=|$)/.test(word))?.replace(/=.*/s, '');
  if (option === undefined || words.includes('--pass-with-no-tests')) return '';
  const why = option === '--test-list' ? 'the list names no test' : 'the list leaves out every test';
  return `${option}: ${why}, so nothing was judged. \`${command} --list\` shows the lines that it may hold.`;
}

/** Returns a hint at what the user may have meant by words of the command line that select no test; empty for none. */
export function nearestInWords(words: readonly string[]): string {
  // Each word becomes a line, so the pattern ends where its word ends.
  const [, pattern = ''] = /\n(?:-g|--grep)[=\n](.+)/.exec(`\n${words.join('\n')}`) ?? [];
  const near = nearestClauses(pattern, pattern.startsWith('@') ? TAGS : undefined);
  // A pattern that selects a clause is not what is wrong.
  if (pattern !== '' && !near[0]?.includes(pattern)) {
    const advice = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `\`${command} --list\` shows all.`;
    return `No clause matches ${JSON.stringify(pattern)}: ${advice}`;
  }
  const isFile = (word: string, i: number) => i > words.indexOf('test') && namesFile(word, words[i - 1]);
  const file = words.find(isFile);
  if (file === undefined)
    return words.includes('--last-failed') ? 'No test of the last run failed, so --last-failed selects none.' : '';
  const [meant] = [...nearestClauses(file.replace(/^@?/, '@'), TAGS), ...nearestClauses(file)];
  if (meant === undefined) return '';
  return `No file of tests matches ${JSON.stringify(file)}. Clauses are selected by -g: ${command} -g ${meant}`;
}

/** Excludes our project from shards of other tests, which would share a key. @returns what to print, or `null` */
export function keepOutOfShards({ shard }: Pick<FullConfig, 'shard'>, suite: Suite, testRun: TestRun): string | null {
  const ours = suite.suites.filter((project) => isConformanceProject(project.project()));
  if (shard === null || ours.length === 0) return null;
  for (const project of ours) exclude(project, testRun);
  return `${ours[0]?.title} is left out of shards, because a run is never divided. Judge it with --project ${ours[0]?.title}, without --shard.`;
}

/** Excludes a project or a test. Playwright refuses if another project depends on it. */
export function exclude(tests: Suite | TestCase, testRun: TestRun): void {
  try {
    testRun.exclude(tests);
  } catch {
    // Such a project asks this run for nothing that another shard asks for.
  }
}

/**
 * Returns why no clause is judged although the configuration has the suite's project. It is `null` where the command line
 * selects tests, or another tool does, and where there is no test at all: that Playwright reports.
 * @param words the command line, from Playwright's command on
 * @returns one sentence, and whether the run fails for it: not where somebody chose to leave the whole project out
 */
export function whyProjectIsEmpty({ projects, shard }: FullConfig, suite: Suite, words: readonly string[]) {
  const ours = projects.find((project) => isConformanceProject(project) || project.name === embedding.options?.name);
  const isElsewhere = shard !== null || words[0] !== 'test' || selectsTests(words);
  if (!ours || isElsewhere || suite.allTests().length === 0) return null;
  const name = JSON.stringify(ours.name);
  const isWhole = Object.entries(CHOICE).every(
    ([member, value]) => `${ours[member as keyof FullProject]}` === `${value}`,
  );
  if (isWhole)
    return {
      fails: false,
      text: `The project ${name} is no part of this run, so no clause is judged: it waits for --project (default: false), or another test is focused (test.only).`,
    };
  return {
    fails: true,
    text: `The configuration has the project ${name}, but this run has none of its tests, so no clause was judged: its testDir, testMatch, testIgnore, grep or grepInvert leaves them out.`,
  };
}

/** Returns which project keeps the clauses from being judged, because theirs depends on it: one sentence, or `null`. */
export function whyDependencyStops(suite: Suite): string | null {
  const isUntested = ({ results }: TestCase) => results.length === 0;
  const hasStopped = (tests: TestCase[]) => tests.some((test) => isUntested(test) || test.outcome() === 'unexpected');
  // With `--no-deps` the clauses are tested all the same.
  const ours = suite.suites.find((project) => {
    const tests = project.allTests();
    return tests.some(clauseIdOf) && tests.every(isUntested);
  });
  const needed = ours?.project()?.dependencies ?? [];
  const stopping = suite.suites.find((project) => needed.includes(project.title) && hasStopped(project.allTests()));
  return stopping
    ? `The project ${JSON.stringify(stopping.title)} did not pass, and ${JSON.stringify(ours?.title)} depends on it, so nothing was judged.`
    : null;
}
