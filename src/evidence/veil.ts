/**
 * Answers to wrong keys that are not the server's own rejection: a guard that counts wrong keys, a limiter that stands
 * before authentication, or a gateway without room. Behind them the server may take the key.
 */
import type { Evidence, Exchange } from './exchange';
import { valuesOf } from './headers';
import { once } from './once';
import { isAccepted, isRefused, isWhole, isWithheld, looksRefused, makeOf, statusOf } from './outcome';
import { type Group, nameOf } from './probe';

const AFTER_READS: readonly Group[] = ['session', 'after-accepted'];

/** How the server's own rejections, those of a guard and refusals of valid keys are made. */
const makesOf = once((evidence: Evidence) => {
  const whole = evidence.exchanges.filter((exchange) => isWhole(exchange) && !isWithheld(exchange));
  // What follows an accepted read at once may be taken for that account's, and refused.
  const early = whole.filter((exchange) => exchange.account === null && !AFTER_READS.includes(exchange.probe.group));
  // Its answer to the first request without a key, before any flood; a guard answers the same request otherwise later.
  const first = early.find((exchange) => statusOf(exchange) < 500) ?? early[0];
  const own = first && !isAccepted(first) ? makeOf(first) : null;
  const missing = early.find((exchange) => exchange.probe.group === 'missing-key');
  const usual = new Set([own, missing && makeOf(missing)]);
  // A gateway that turned a wrong key away, which the server itself rejected at another time: a ban that was over soon, or no room.
  const rejected = new Set(whole.filter((exchange) => isMadeAs(exchange, own)).map(({ probe }) => nameOf(probe)));
  const lifted = whole.filter(
    (exchange) => exchange.account === null && ofAGateway(exchange) && rejected.has(nameOf(exchange.probe)),
  );
  const guards = [...lifted, ...whole.filter(({ probe }) => probe.group === 'guard')]
    .filter((exchange) => !isAccepted(exchange))
    .map(makeOf)
    .filter((make) => !usual.has(make));
  const refusals = whole.filter((exchange) => exchange.account !== null && isRefused(exchange, evidence)).map(makeOf);
  return { own, guards: new Set(guards), refusals: new Set(refusals) };
});

/** 502, 503 or 504: a gateway answers so in place of the server (RFC 9110 section 15.6). */
function ofAGateway(exchange: Exchange): boolean {
  const status = statusOf(exchange);
  return status >= 502 && status <= 504;
}

/** How the answers of a guard are made. */
export function guardsOf(evidence: Evidence): ReadonlySet<string> {
  return makesOf(evidence).guards;
}

/** Whether a guard, or a limiter before authentication, gave this answer to a request without a valid key. */
export function isVeiled(exchange: Exchange, evidence: Evidence): boolean {
  if (exchange.account !== null || !isWhole(exchange) || isAccepted(exchange)) return false;
  const { own, guards, refusals } = makesOf(evidence);
  if (isMadeAs(exchange, own)) return false;
  const isOfAnother = [...guards, ...refusals].some((make) => isMadeAs(exchange, make));
  return isOfAnother || (looksRefused(exchange, evidence) && saysWait(exchange));
}

/** Whether an answer is made in a way; one to HEAD, or whose body was withheld, has none to compare (RFC 9110 section 9.3.2). */
export function isMadeAs(exchange: Exchange, make: string | null): boolean {
  const its = makeOf(exchange);
  return (
    make !== null && (exchange.request.method === 'HEAD' || isWithheld(exchange) ? make.startsWith(its) : make === its)
  );
}

function saysWait(exchange: Exchange): boolean {
  return statusOf(exchange) === 429 || valuesOf(exchange, 'Retry-After').length > 0;
}

/** Whether an answer to a wrong key is worth asking again for, alone: it may speak of the crowd and not of the key. */
export function isDoubtful(exchange: Exchange, evidence: Evidence): boolean {
  if (exchange.account !== null) return false;
  if (!isWhole(exchange)) return exchange.fault?.kind === 'reset';
  // The answer to the first request without a key may be an accident: only the same request, sent again, shows it.
  const isOwn = exchange.probe.group !== 'missing-key' && isMadeAs(exchange, makesOf(evidence).own);
  return isVeiled(exchange, evidence) || (statusOf(exchange) >= 500 && !isOwn);
}

/**
 * The answers to wrong keys that count: where one was doubtful and the same request got another answer later, the
 * later one. A veiled answer never counts.
 */
export function countedAnswers(asked: readonly Exchange[], evidence: Evidence): Exchange[] {
  const last = new Map(asked.map((exchange) => [nameOf(exchange.probe), exchange]));
  return asked.filter((exchange) => {
    if (isVeiled(exchange, evidence)) return false;
    // Those of a flood share one probe, and none of them is asked again.
    if (exchange.probe.group === 'keyless') return !isDoubtful(exchange, evidence);
    const latest = last.get(nameOf(exchange.probe)) ?? exchange;
    return latest === exchange || !isDoubtful(exchange, evidence) || isVeiled(latest, evidence);
  });
}

/** Requests, by the names of their probes, to which nothing but a veil ever answered. */
export function hiddenAnswers(asked: readonly Exchange[], evidence: Evidence): Exchange[] {
  const seen = new Set(countedAnswers(asked, evidence).map(({ probe }) => nameOf(probe)));
  const single = asked.filter(({ probe }) => probe.group !== 'keyless');
  const hidden = new Map(
    single.filter(({ probe }) => !seen.has(nameOf(probe))).map((exchange) => [nameOf(exchange.probe), exchange]),
  );
  return [...hidden.values()];
}
