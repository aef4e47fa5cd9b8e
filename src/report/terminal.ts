/** What the terminal shows: a table at the end, and for many targets a line for each as it ends. */

import { join } from 'node:path';
import { NOT_SELECTED, type OwnTest } from '../contract/result';
import type { Cause } from '../judge/causes';
import { isPublished } from '../judge/verdict';
import { changeKind, changesInOrder } from './changes';
import type { FleetTarget, ReportInput } from './model';
import {
  causesByVerdict,
  countsInWords,
  countVerdicts,
  duration,
  errorOf,
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
  const { conformance, history } = input;
  const { verdict, target, error, certifiable, changes, own } = conformance;
  const causes = causesByVerdict(input);
  const title = `${verdictWord(input).toUpperCase()}${target.baseURL === '' ? '' : `: ${target.name}`}`;
  const head = [
    '',
    rule(` ${title} `),
    ...verdictSentence(input)
      .split('\n')
      .flatMap((line) => wrapped(line, '  ')),
    ...section(
      causes.fail.length === 1 ? 'to fix' : `to fix: ${causes.fail.length} causes`,
      causes.fail.flatMap(causeLines(causes.fail)),
    ),
    ...(where === null ? [] : ['', `  open ${join(where, 'index.html')}`]),
  ];
  if (verdict === 'error' && error !== null) return [...head, rule(''), ''].join('\n');
  const trends = (history?.trends ?? []).filter(({ failsSince, isFlapping }) => failsSince !== null || isFlapping);
  return [
    ...head,
    ...section('warnings', causes.warn.flatMap(causeLines(causes.warn))),
    ...section('waived', causes.waived.flatMap(causeLines(causes.waived))),
    ...section('not tested', untestedByReason(conformance).flatMap(untestedLines)),
    ...section(`own tests: ${countsInWords(own)}`, own.flatMap(ownLines), own.length > 0),
    ...section(
      'changed',
      changesInOrder(changes ?? []).flatMap((change) => {
        const [from, to] = [valueInWords(change.from), valueInWords(change.to)];
        const what = { new: `new: ${to}`, gone: `gone (was ${from})`, changed: `${from} -> ${to}` };
        return wrapped(`${change.id}: ${what[changeKind(change)]}`, '    ');
      }),
    ),
    ...section(
      'over the nights',
      trends.flatMap((trend) => row(trend.id, trendInWords(trend))),
    ),
    ...section(
      'notes',
      remarks(input).flatMap((note) => wrapped(note, '    ')),
    ),
    '',
    ...figures(input),
    ...(certifiable ? ['  certifiable'] : wrapped(`not certifiable: ${obstacles(conformance).join('; ')}`, '  ')),
    rule(''),
    '',
  ].join('\n');
}

/** A block with a title; nothing where it has no lines, unless its title says enough. */
function section(title: string, lines: readonly string[], isTold = lines.length > 0): string[] {
  return isTold ? ['', `  ${title}`, ...lines] : [];
}

/** A cause with the clauses that it breaks. @param all are told below one another */
function causeLines(all: readonly Cause[]): (cause: Cause) => string[] {
  const width = Math.max(...all.map(({ clauses: [first = ''] }) => first.length));
  return ({ clauses: [first = '', ...others], reason }) => [
    ...row(first.padEnd(width), reason),
    ...(others.length > 0 ? wrapped(`and by the same cause: ${others.join(', ')}`, '      ') : []),
  ];
}

function untestedLines([reason, ids]: [reason: string, ids: string[]]): string[] {
  // Someone who selected a few clauses does not need a list of all the others.
  if (reason === NOT_SELECTED)
    return [`    ${plural(ids.length, 'clause that was', 'clauses that were')} not selected`];
  return [...wrapped(ids.join(', '), '    '), ...wrapped(reason, '      ')];
}

/** Of the user's own tests those that failed. */
function ownLines({ title, verdict, reason }: OwnTest): string[] {
  if (verdict !== 'fail') return [];
  return [...wrapped(`failed: ${title}`, '    '), ...wrapped(firstLine(reason ?? ''), '      ')];
}

/** The target, the count of each verdict, and the time. */
function figures({ conformance: { target, clauses, requests, durationMs, waitedMs } }: ReportInput): string[] {
  const rate = isPublished(target.rate) ? '' : `, declared rate: ${rateInWords(target)}`;
  const time = `${plural(requests, 'request')} in ${duration(durationMs)}`;
  return [
    `  ${target.baseURL}, accounts: ${target.accounts.join(', ')}${rate}`,
    `  ${countsInWords(clauses)}`,
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

function outcomeInWords(target: FleetTarget): string {
  const { verdict, failed, conformance, failures } = target;
  if (verdict === 'error') return (errorOf(target) ?? '').replace(/\s+/g, ' ');
  if (failed.length > 0) return `${failed.length} failed: ${failed.join(', ')}`;
  if (failures.length > 0) return `the run failed: ${failures.join(' ')}`;
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
    rule(''),
    `  open ${join(where, 'index.html')}`,
    '',
  ].join('\n');
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
