/** Reads header fields as HTTP defines them (RFC 9110 sections 5 and 10). */
import type { Exchange, HeaderLines } from '../model';

/** Returns the values of a header field, one for each line, in order. Names are case-insensitive. */
export function valuesOf(exchange: Exchange, name: string): string[] {
  return linesOf(exchange.response?.headers ?? [], name);
}

/** As `valuesOf`, of any header lines, such as those of a delivery. */
export function linesOf(headers: HeaderLines, name: string): string[] {
  const wanted = name.toLowerCase();
  // Node has removed the blanks around a value, which are no part of it (RFC 9110 section 5.5).
  return headers.filter(([field]) => field.toLowerCase() === wanted).map(([, value]) => value);
}

/** Returns the number that a text of decimal digits stands for, else `null`. It is not exact beyond 2^53. */
export function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,300}$/.test(text) ? Number(text) : null;
}

const DAYS = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun';
const LONG_DAYS = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday';
const MONTHS = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME = '[0-2]\\d:[0-5]\\d:(?:[0-5]\\d|60)';
const IMF_FIXDATE = new RegExp(`^(?:${DAYS}), (\\d\\d) ${MONTHS} \\d{4} ${TIME} GMT$`);
const OBSOLETE = [
  // RFC 850, then asctime.
  new RegExp(`^(?:${LONG_DAYS}), (\\d\\d)-${MONTHS}-\\d\\d ${TIME} GMT$`),
  new RegExp(`^(?:${DAYS}) ${MONTHS} ([ \\d]\\d) ${TIME} \\d{4}$`),
];

/** Reads an HTTP-date, which is GMT (RFC 9110 section 5.6.7). `obsolete`: one of the two old forms. `null`: none. */
export function httpDate(text: string): { epochSeconds: number; obsolete: boolean } | null {
  const form = [IMF_FIXDATE, ...OBSOLETE].find((each) => each.test(text));
  // Date knows no leap second, and takes a time without a zone for a local one.
  const date = new Date(`${text.replace(/:60(?!:)/, ':59').replace(/ GMT$/, '')} GMT`);
  const isRealDay = date.getUTCDate() === Number(form?.exec(text)?.[1]);
  return form && isRealDay ? { epochSeconds: date.getTime() / 1000, obsolete: form !== IMF_FIXDATE } : null;
}

type RetryAfter = { form: 'seconds'; seconds: number } | { form: 'date'; epochSeconds: number; obsolete: boolean };

const read = new WeakMap<HeaderLines, ReturnType<typeof headersParsed>>();
const NONE: HeaderLines = [];

/** Returns what a response says about the limit and about times; `null` for what is absent, repeated or malformed. */
export function parsedHeaders({ response }: Pick<Exchange, 'response'>) {
  const headers = response?.headers ?? NONE;
  const known = read.get(headers) ?? headersParsed(headers);
  read.set(headers, known);
  return known;
}

/** Whether an answer reports a limit, as no gateway does. */
export function reportsALimit(exchange: Exchange): boolean {
  const { limit, remaining, reset } = parsedHeaders(exchange);
  return [limit, remaining, reset].some((value) => value !== null);
}

function headersParsed(headers: HeaderLines) {
  const only = (name: string) => {
    const values = linesOf(headers, name);
    return values.length === 1 ? values[0] : undefined;
  };
  return {
    /** In requests (API description, section 8), as the next one. */
    limit: wholeNumber(only('X-RateLimit-Limit')),
    remaining: wholeNumber(only('X-RateLimit-Remaining')),
    /** In seconds since the epoch. */
    reset: wholeNumber(only('X-RateLimit-Reset')),
    retryAfter: retryAfterIn(only('Retry-After')),
    dateSeconds: httpDate(only('Date') ?? '')?.epochSeconds ?? null,
    /** How many seconds ago a stored response was made (RFC 9111 section 5.1); `null` for a fresh one. */
    ageSeconds: wholeNumber(linesOf(headers, 'Age')[0]),
  };
}

/** Reads a Retry-After (RFC 9110 section 10.2.3). */
function retryAfterIn(value: string | undefined): RetryAfter | null {
  if (value === undefined) return null;
  const seconds = wholeNumber(value);
  if (seconds !== null) return { form: 'seconds', seconds };
  const date = httpDate(value);
  return date && { form: 'date', ...date };
}
