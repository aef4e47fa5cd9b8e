/** The table of the limiters that were considered for clauses of the rate limit that are broken, or left open. */
import { groupedBy } from '../../common/grouped';
import { plural } from '../../common/text';
import type { Verdict } from '../../contract/result';
import { whileServing } from '../../evidence/responder/outages';
import { withoutOwn } from '../../evidence/select';
import { type Considered, consideredFor, remainingFor } from '../../limiter/shown';
import { duration, having, MOST_LISTED } from '../format';
import { type Markup, markup } from '../markup';
import type { ReportInput } from '../model';
import { renderTable, type Section } from './parts';

const SCOPE: Readonly<Record<Considered['scope'], string>> = {
  account: 'for each account',
  path: 'for each path',
  connection: 'for each connection',
  everybody: 'for all accounts together',
  keyless: 'for all accounts, charged for requests without a valid key as well',
  'another-client': 'for each account, and another client of the same key',
};
const ALTERNATIVES = new Intl.ListFormat('en', { type: 'disjunction' });

/** Returns what each limiter cannot have done, for each clause of the rate limit that is broken or left open. */
export function limitersTable(input: ReportInput): Section | null {
  const alike = groupedBy(
    [...consideredIn(input, consideredFor, 'fail', 'waived'), ...consideredIn(input, remainingFor, 'not-tested')],
    ({ considered }) => JSON.stringify(considered.map((each) => [namesOf([each]), entriesOf(each.refutedBy)])),
  );
  const rows = [...alike.values()].flatMap((same) => {
    const links = same.map(({ id }) => markup`<a href="#${id}"><code>${id}</code></a> `);
    // Kinds of limiters that the same decisions rule out stand in one row.
    const kinds = groupedBy(same[0]?.considered ?? [], ({ family, rate, scope, refutedBy }) =>
      JSON.stringify([family === 'none', rate, scope, entriesOf(refutedBy)]),
    );
    return [...kinds.values()].map((some) => [markup`${links}`, markup`${namesOf(some)}`, told(some)]);
  });
  if (rows.length === 0) return null;
  const body = markup`
    <p>
      Nobody outside sees the limiter of a server. A clause is broken where no limiter that would conform can have taken\n
      the decisions below; the last rows of a clause name what explains them. Where one that conforms is among those, the\n
      clause is not tested, and its reason says what would tell them apart.
    </p>\n
    ${renderTable(['Clause', 'Limiter', 'Its decisions'], rows)}`;
  return { id: 'limiters', title: 'Limiters considered', body };
}

/** The clauses with one of the verdicts for which limiters were considered, or remain, as `considering` tells. */
function consideredIn(
  { conformance, evidence }: ReportInput,
  considering: typeof consideredFor,
  ...verdicts: Verdict[]
): Array<{ id: string; considered: Considered[] }> {
  const judged = whileServing(withoutOwn(evidence));
  return having(conformance.clauses, ...verdicts)
    .map(({ id }) => ({ id, considered: considering(id, judged) }))
    .filter(({ considered }) => considered.length > 0);
}

function entriesOf(refutedBy: Considered['refutedBy']): number[] | undefined {
  return refutedBy?.exchanges.map(({ index }) => index);
}

/** Limiters of the same rate and scope, in words. */
function namesOf(some: readonly Considered[]): string {
  const [first] = some;
  if (!first || first.family === 'none') return 'no limiter at all';
  const kinds = ALTERNATIVES.format(some.map(({ family }) => (family === 'any' ? 'any limiter' : family)));
  return `${kinds}, ${plural(first.rate.requests, 'request')} in ${first.rate.seconds} s ${SCOPE[first.scope]}`;
}

function told([first, ...others]: readonly Considered[]): Markup {
  if (!first?.refutedBy) return markup`${others.length > 0 ? 'explain' : 'explains'} everything`;
  const { exchanges, as } = first.refutedBy;
  const spanMs =
    Math.max(...exchanges.map(({ receivedAtMs }) => receivedAtMs)) -
    Math.min(...exchanges.map(({ sentAtMs }) => sentAtMs));
  const links = exchanges.slice(0, MOST_LISTED).map(({ index }) => markup`<a href="#x${index}">${index}</a> `);
  const more = exchanges.length - MOST_LISTED;
  const how = {
    accepted: `were accepted within ${duration(spanMs)}`,
    refused:
      exchanges.length > 1
        ? 'came so far apart, and the last was refused'
        : 'was refused, after too few requests to use it up',
    counted: 'counts more requests than this run had sent',
  }[as];
  return markup`cannot be: ${links}${more > 0 && `and ${more} more `}${how}`;
}
