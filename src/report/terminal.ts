/** What the terminal shows: a table at the end, and for many targets a line for each as it ends. */

import { join } from 'node:path';
import {
  type Change,
  type ClauseResult,
  type Conformance,
  NOT_SELECTED,
  type OwnTest,
  type Verdict,
} from '../contract/result';
import type { Cause } from '../judge/causes';
import { isPublished } from '../judge/verdict';
import { changeKind, changesInOrder } from './changes';
import type { FleetTarget, ReportInput } from './model';
import { ownInWords } from './own';
import {
  countVerdicts,
  duration,
  firstLine,
  obstacles,
  plural,
  rateInWords,
  remarks,
  targetsByVerdict,
  trendInWords,
  untestedByReason,
  valueInWords,
  verdictSentence,
  verdictWord,
} from './words';

const WIDTH = 118;

/**
 * The closing table: the verdict, what to fix by its cause, where to look; then what was not tested and why, what
 * changed, and the figures.
 * @param where the results are; `null` where they could not be written
 */
export function closingTable(input: ReportInput, where: string | null): string {
  const { conformance, causes } = input;
  const { verdict, target, error, clauses, certifiable, changes } = conformance;
  const title = `${verdictWord(input).toUpperCase()}${target.baseURL === '' ? '' : `: ${target.name}`}`;
  const broken = causes.filter(({ clauses: [first] }) => verdictOf(clauses, first) === 'fail');
  const verdictLines = verdictSentence(input)
    .split('\n')
    .flatMap((line) => wrapped(line, '  '));
  const head = [
    '',
    rule(` ${title} `),
    ...verdictLines,
    ...causeSection(broken.length === 1 ? 'to fix' : `to fix: ${broken.length} causes`, broken),
    ...lookAt(where),
  ];
  if (verdict === 'error' && error !== null) return [...head, rule(''), ''].join('\n');
  const notes = remarks(input);
  return [
    ...head,
    ...causeSection(
      'warnings',
      causes.filter((cause) => !broken.includes(cause)),
    ),
    ...section('waived', clauses, 'waived'),
    ...notTestedSection(conformance),
    ...ownSection(conformance.own),
    ...(changes?.length ? ['', '  changed', ...changesInOrder(changes).flatMap(changeLines)] : []),
    ...trendSection(input),
    ...(notes.length > 0 ? ['', '  notes', ...notes.flatMap((note) => wrapped(note, '    '))] : []),
    '',
    ...figures(conformance),
    ...(certifiable ? ['  certifiable'] : wrapped(`not certifiable: ${obstacles(conformance).join('; ')}`, '  ')),
    rule(''),
    '',
  ].join('\n');
}

function verdictOf(clauses: readonly ClauseResult[], id: string | undefined): Verdict | undefined {
  return clauses.find((clause) => clause.id === id)?.verdict;
}

/** Each cause with the clauses that it breaks. */
function causeSection(title: string, causes: readonly Cause[]): string[] {
  if (causes.length === 0) return [];
  const width = Math.max(...causes.map(({ clauses: [first = ''] }) => first.length));
  const lines = causes.flatMap(({ clauses, reason }) => {
    const [first = '', ...others] = clauses;
    const also = others.length > 0 ? wrapped(`and by the same cause: ${others.join(', ')}`, '      ') : [];
    return [...row(first.padEnd(width), reason), ...also];
  });
  return ['', `  ${title}`, ...lines];
}

function lookAt(where: string | null): string[] {
  return where === null ? [] : ['', `  open ${join(where, 'index.html')}`];
}

/** Since when clauses fail, and which of them come and go. */
function trendSection({ history }: ReportInput): string[] {
  const told = (history?.trends ?? []).filter(({ failsSince, isFlapping }) => failsSince !== null || isFlapping);
  if (told.length === 0) return [];
  return ['', '  over the nights', ...told.flatMap((trend) => row(trend.id, trendInWords(trend)))];
}

/** The target, the count of each verdict, and the time. */
function figures({ target, clauses, requests, durationMs, waitedMs }: Conformance): string[] {
  const rate = isPublished(target.rate) ? '' : `, declared rate: ${rateInWords(target)}`;
  const counts = countVerdicts(clauses);
  const told = [
    `${counts.pass} passed`,
    `${counts.fail} failed`,
    plural(counts.warn, 'warning'),
    `${counts.waived} waived`,
    `${counts['not-tested']} not tested`,
  ];
  const time = `${plural(requests, 'request')} in ${duration(durationMs)}`;
  return [
    `  ${target.baseURL}, accounts: ${target.accounts.join(', ')}${rate}`,
    `  ${told.join(', ')}`,
    `  ${time}, of which ${duration(waitedMs)} waiting for windows of the rate limit`,
  ];
}

/**
 * One of many targets on one line.
 * @param width to which the name is padded
 */
export function targetLine(target: FleetTarget, width = 0): string {
  const { name, verdict, durationMs } = target;
  const columns = [
    verdict.padEnd('non-conformant'.length),
    name.padEnd(width),
    duration(durationMs).padStart(10),
    outcomeInWords(target),
  ];
  const line = `  ${columns.join('  ')}`;
  // The end of an error says what to do about it.
  return line.length > WIDTH && verdict !== 'error' ? `${line.slice(0, WIDTH - 1)}…` : line;
}

function outcomeInWords({ verdict, failed, conformance }: FleetTarget): string {
  if (verdict === 'error') return (conformance?.error ?? 'not finished').replace(/\s+/g, ' ');
  if (failed.length > 0) return `${failed.length} failed: ${failed.join(', ')}`;
  return `${countVerdicts(conformance?.clauses ?? []).pass} passed`;
}

/** The closing table of many targets, the worst first. */
export function fleetTable(targets: readonly FleetTarget[], where: string): string {
  const byVerdict = targetsByVerdict(targets);
  const width = Math.max(0, ...targets.map((target) => target.name.length));
  const title = byVerdict.map(([verdict, some]) => `${some.length} ${verdict}`).join(', ') || 'none';
  return [
    '',
    rule(` ${plural(targets.length, 'target')}: ${title} `),
    ...byVerdict.flatMap(([, some]) => some.map((target) => targetLine(target, width))),
    ...ending(where),
  ].join('\n');
}

function ending(where: string): string[] {
  return [rule(''), `  open ${join(where, 'index.html')}`, ''];
}

function section(title: string, clauses: ClauseResult[], verdict: Verdict): string[] {
  const some = clauses.filter((clause) => clause.verdict === verdict);
  if (some.length === 0) return [];
  const width = Math.max(...some.map((clause) => clause.id.length));
  return ['', `  ${title}`, ...some.flatMap((clause) => row(clause.id.padEnd(width), clause.reason ?? ''))];
}

function notTestedSection(conformance: Conformance): string[] {
  const lines = untestedByReason(conformance).flatMap(([reason, ids]) =>
    // Someone who selected a few clauses does not need a list of all the others.
    reason === NOT_SELECTED
      ? [`    ${plural(ids.length, 'clause that was', 'clauses that were')} not selected`]
      : [...wrapped(ids.join(', '), '    '), ...wrapped(reason, '      ')],
  );
  return lines.length > 0 ? ['', '  not tested', ...lines] : [];
}

/** The user's own tests: those that failed by name, the others in one line. */
function ownSection(own: readonly OwnTest[]): string[] {
  if (own.length === 0) return [];
  const failed = own.filter(({ verdict }) => verdict === 'fail');
  const told = failed.flatMap(({ title, reason }) => [
    ...wrapped(`failed: ${title}`, '    '),
    ...wrapped(firstLine(reason ?? ''), '      '),
  ]);
  return ['', `  own tests: ${ownInWords(own)}`, ...told];
}

function changeLines(change: Change): string[] {
  const [from, to] = [valueInWords(change.from), valueInWords(change.to)];
  const what = { new: `new: ${to}`, gone: `gone (was ${from})`, changed: `${from} -> ${to}` }[changeKind(change)];
  return wrapped(`${change.id}: ${what}`, '    ');
}

function row(label: string, text: string): string[] {
  const indent = ' '.repeat(label.length + 6);
  return wrapped(text, indent).map((line, i) => (i === 0 ? `    ${label}  ${line.trimStart()}` : line));
}

/** Breaks a text into lines of the terminal's width. */
function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  for (const word of text.replace(/\s+/g, ' ').trim().split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(indent + word);
  }
  return lines;
}

function rule(title: string): string {
  return title === '' ? '─'.repeat(WIDTH) : `──${title}${'─'.repeat(Math.max(0, WIDTH - 2 - title.length))}`;
}
