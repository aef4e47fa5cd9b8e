/**
 * Tables and evidence in a short notation, so that a row of a test is one line.
 *
 * A table has one row a line, and cells between bars: `what it shows | evidence | what is found`.
 *
 * Evidence is a list of exchanges between semicolons. Each exchange is a list of words in any order, and what is not given is
 * that of an accepted read of alice's, a second after the exchange before:
 *
 *     @1050            when it was sent, in milliseconds of the run; `@1050+40`: and how long it took
 *     bob   -          whose key it had; `-`: nobody's
 *     429              the status
 *     version/v0       the group of its probe, and the probe's form; `sequence#2`: its trial; `keyless:all`: its account
 *     PUT:/webhooks    the method, and the path below the base URL; `GET:host/path`: another address
 *     Vary=apiKey      a line of the answer's head; in quotes where it holds a blank: `"Vary=apiKey, Accept"`
 *     resent           it was sent twice
 *     reset  timeout   what broke the answer off; `unanswered`: nothing of it came
 *     : {}             all the rest is the body
 *     = {start: {}}    the body is a document with these settings, written as YAML
 */
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { type Group, groups, probe } from '../../../src/catalogue/catalogue';
import { groupedBy } from '../../../src/common/text';
import type { Evidence, Exchange, Fault, TargetFacts } from '../../../src/evidence/model';
import { BASE, evidenceOf, exchangeOf, found, type Sketch, serving } from './evidence-of';

const FAULTS: Record<string, Fault> = {
  reset: { kind: 'reset', message: 'closed the connection' },
  timeout: { kind: 'timeout', message: 'did not answer' },
  malformed: { kind: 'malformed', message: 'no HTTP' },
  unreachable: { kind: 'unreachable', message: 'ECONNREFUSED' },
};

/** The rows of a table, without blank lines: their cells, without the blanks around them. */
export function rowsOf(table: string): string[][] {
  return table
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split(/(?:^|\s)\|(?=\s|$)/).map((cell) => cell.trim()));
}

/** A tag for tables: `tabled(use)` takes the rows of the template behind it. */
export function tabled(use: (rows: string[][]) => void): (strings: TemplateStringsArray, ...values: unknown[]) => void {
  return (strings, ...values) => use(rowsOf(String.raw({ raw: strings }, ...values)));
}

/** The exchanges of a cell. */
export function sketchesOf(cell: string): Sketch[] {
  return cell
    .split(/;(?:\s+|$)/)
    .filter((exchange) => exchange.trim() !== '')
    .map(sketchOf);
}

function sketchOf(exchange: string): Sketch {
  const [, head = '', mark, rest = ''] = /^(.*?)(?:(?:^|\s)([:=])(?:\s(.*)|$))?$/s.exec(exchange) ?? [];
  const sketch: Sketch = mark === '=' ? serving(parse(rest)) : mark === ':' ? { body: rest } : {};
  let asked: { group: Group; of: string | undefined; trial: number; form: string } | null = null;
  const headers: [string, string][] = [];
  for (const quoted of head.match(/"[^"]*"|\S+/g) ?? []) {
    const word = quoted.replaceAll('"', '');
    const [, sent, took] = /^@(-?[\d.]+)(?:\+([\d.]+))?$/.exec(word) ?? [];
    const [, method, path] = /^([A-Z]+):(.*)$/.exec(word) ?? [];
    const [, name, value] = /^([\w-]+)=(.*)$/.exec(word) ?? [];
    const [, group = '', of, trial, form] = /^([a-z-]+)(?::(\w+))?(?:#(\d+))?(?:\/(.*))?$/.exec(word) ?? [];
    if (sent !== undefined)
      Object.assign(sketch, { sentAtMs: Number(sent), receivedAtMs: Number(sent) + Number(took ?? 1) });
    else if (/^\d{3}$/.test(word)) sketch.status = Number(word);
    else if (word in FAULTS) Object.assign(sketch, { fault: FAULTS[word] });
    else if (word === 'unanswered') Object.assign(sketch, { response: null });
    else if (method !== undefined)
      sketch.request = { method, url: path?.startsWith('/') ? `${BASE}${path}` : `https://${path}`, headers: [] };
    else if (name !== undefined) headers.push([name, value ?? '']);
    else if (groups.includes(group as Group))
      asked = { group: group as Group, of, trial: Number(trial ?? 1), form: form ?? '' };
    else if (word === 'resent') sketch.resent = true;
    else if (/^(?:alice|bob|carol|[abc-])$/.test(word)) sketch.account = word === '-' ? null : word;
    else throw new Error(`"${word}" is no word of the notation.`);
  }
  const account = sketch.account === undefined ? 'alice' : sketch.account;
  if (asked) {
    const { group, of = account, trial, form } = asked;
    sketch.probe = probe(group, { account: of, trial, form });
  }
  if (!asked && sketch.account) sketch.probe = probe('read', { account });
  return { ...sketch, ...(headers.length > 0 && { headers }) };
}

/** Evidence of the exchanges of a cell. */
export function evidenceIn(cell: string, target: Partial<TargetFacts> = {}): Evidence {
  return evidenceOf(sketchesOf(cell), target);
}

/** What is so of the last exchange of a cell: `yes` or `no`. */
export function ofLast(check: (last: Exchange, evidence: Evidence) => boolean, cell: string): string {
  const evidence = evidenceIn(cell);
  return check(evidence.exchanges.at(-1) ?? exchangeOf(), evidence) ? 'yes' : 'no';
}

/**
 * What a rule finds, as the cell of a table says it: `-` that nothing is broken, `? words` that the clause was not judged, for
 * a reason that holds these words, and otherwise `subject: what came` of each breach, with `; ` between them.
 * @param cell what is expected, whose words may be a part of the reason
 */
export function foundAs(clause: string, evidence: Evidence, cell: string): string {
  const came = found(clause, evidence);
  if (typeof came !== 'string') return came.join('; ') || '-';
  return cell.startsWith('? ') && came.includes(cell.slice(2)) ? cell : `? ${came}`;
}

/** Expects what a cell says that a rule finds. */
export function expectFound(clause: string, evidence: Evidence, cell: string): void {
  expect(foundAs(clause, evidence, cell)).toBe(cell);
}

/** Expects what each row of a table says: all that differ are shown. @param came what comes of a row, by its cells before the last */
export function expectRows(rows: readonly string[][], came: (cells: string[], expected: string) => string): void {
  expect(rows.map((cells) => [cells[0], came(cells, cells.at(-1) ?? '')])).toEqual(
    rows.map((cells) => [cells[0], cells.at(-1)]),
  );
}

/** One test for each clause of a table: `clause | what it shows | exchanges | what is found`. */
export function judges(table: string): void {
  for (const [clause, rows] of groupedBy(rowsOf(table), ([clause = '']) => clause))
    test(`${clause}: ${rows[0]?.[1]} to ${rows.at(-1)?.[1]}`, () =>
      expectRows(
        rows.map((cells) => cells.slice(1)),
        ([, exchanges = ''], cell) => foundAs(clause, evidenceIn(exchanges), cell),
      ));
}
