/** The table of the limiters that were considered for broken clauses of the rate limit. */

import { plural } from '../../common/plural';
import { whileServing } from '../../evidence/responder/outages';
import { withoutOwn } from '../../evidence/select';
import { type Considered, consideredFor } from '../../rate-limit/considered';
import { duration, entriesInWords } from '../format';
import { type Markup, markup } from '../markup';
import type { ReportInput } from '../model';
import { renderTable, type Section } from './sections';

/** What is counted together, in words. */
const SCOPE: Readonly<Record<Considered['scope'], string>> = {
  account: 'for each account',
  path: 'for each path',
  connection: 'for each connection',
  everybody: 'for all accounts together',
};
/** So many entries are linked in a cell. */
const LINKED = 12;

/** Returns why each broken clause of the rate limit is broken: what every limiter cannot have done; `null` for none. */
export function limitersTable(input: ReportInput): Section | null {
  const rows = consideredIn(input).map(([clause, considered]) => rowOf(clause, considered));
  if (rows.length === 0) return null;
  const body = markup`
    <p>
      Nobody outside sees the limiter of a server. A clause is broken where no limiter that would conform can have taken\n
      the decisions below; the last rows of a clause name what explains them.
    </p>\n
    ${renderTable(['Clause', 'Limiter', 'Its decisions'], rows)}`;
  return { id: 'limiters', title: 'Limiters considered', body };
}

/** The entries that a limiter which would conform cannot have decided. */
export function tellingEntries(input: ReportInput): Set<number> {
  const shown = consideredIn(input).flatMap(([, { refutedBy }]) => refutedBy?.exchanges ?? []);
  return new Set(shown.map(({ index }) => index));
}

/** What was considered for each broken clause, by its id. */
function consideredIn({ conformance, evidence }: ReportInput): Array<[clause: string, Considered]> {
  const judged = whileServing(withoutOwn(evidence));
  return conformance.clauses
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'waived')
    .flatMap(({ id }) => consideredFor(id, judged).map((considered): [string, Considered] => [id, considered]));
}

function rowOf(clause: string, considered: Considered): Markup[] {
  return [markup`<a href="#${clause}"><code>${clause}</code></a>`, markup`${nameOf(considered)}`, told(considered)];
}

function nameOf({ family, rate, scope }: Considered): string {
  if (family === 'none') return 'no limiter at all';
  const kind = family === 'any' ? 'any limiter' : family;
  return `${kind}, ${plural(rate.requests, 'request')} in ${rate.seconds} s ${SCOPE[scope]}`;
}

function told({ refutedBy }: Considered): Markup {
  if (refutedBy === null) return markup`explains everything`;
  const { exchanges, as } = refutedBy;
  const spanMs =
    Math.max(...exchanges.map(({ receivedAtMs }) => receivedAtMs)) -
    Math.min(...exchanges.map(({ sentAtMs }) => sentAtMs));
  const links = exchanges.slice(0, LINKED).map(({ index }) => markup`<a href="#x${index}">${index}</a> `);
  const indexes = exchanges.map(({ index }) => index);
  const how = as === 'accepted' ? `were accepted within ${duration(spanMs)}` : lastOf(exchanges.length);
  return markup`cannot be: ${links}${indexes.length > LINKED && markup`(${entriesInWords(indexes, LINKED)})`} ${how}`;
}

/** What the last of some exchanges shows. */
function lastOf(count: number): string {
  return count > 1 ? 'came so far apart, and the last was refused' : 'was refused, after too few requests to use it up';
}
