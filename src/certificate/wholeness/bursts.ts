/**
 * Whether bursts are what they are called: they begin with a whole budget, nothing else of their account is sent
 * meanwhile, and what is sent one after another is.
 */

import { groupedBy } from '../../common/grouped';
import type { Evidence, Exchange } from '../../evidence/exchange';
import { openerOf } from '../../evidence/looks';
import { type Group, nameOf } from '../../evidence/probe';

const BURSTS: readonly Group[] = ['sequence', 'concurrent'];

export function burstProblems(evidence: Evidence): string[] {
  return evidence.target.accounts.flatMap(({ name: account }) => {
    const own = evidence.exchanges
      .filter((exchange) => exchange.account === account)
      .sort((a, b) => a.sentAtMs - b.sentAtMs);
    const bursts = own.filter(({ probe }) => BURSTS.includes(probe.group));
    return [...groupedBy(bursts, ({ probe }) => nameOf(probe))].flatMap(([name, look]) =>
      problemsOf(name, look, own, evidence),
    );
  });
}

function problemsOf(name: string, look: Exchange[], own: readonly Exchange[], evidence: Evidence): string[] {
  const [begun] = look as [Exchange];
  const { probe } = begun;
  const opener = openerOf(begun, evidence);
  const beginMs = (opener ?? begun).sentAtMs;
  const endMs = Math.max(...look.map((exchange) => exchange.receivedAtMs));
  const beforeMs = Math.max(
    ...own.filter((exchange) => exchange.sentAtMs < beginMs).map((exchange) => exchange.receivedAtMs),
  );
  const stranger = own.find(
    (exchange) =>
      exchange !== opener && !look.includes(exchange) && exchange.sentAtMs >= beginMs && exchange.sentAtMs < endMs,
  );
  const overlaps = look.some((exchange, i) => i > 0 && exchange.sentAtMs < (look[i - 1]?.receivedAtMs ?? 0));
  return [
    beginMs < beforeMs + evidence.target.rate.seconds * 1000 &&
      `${name} begins before the budget of its account is whole`,
    stranger !== undefined && `entry ${stranger.index} was sent in the middle of ${name}`,
    probe.group === 'sequence' && overlaps && `requests of ${name} overlap`,
    ...(probe.group === 'concurrent' ? sizeProblems(look, name, evidence) : []),
  ].filter((problem) => problem !== false);
}

/** A burst has its declared size, or less where a server queues; twice the limit is passed in any case. */
function sizeProblems(look: readonly Exchange[], name: string, { target, notSent }: Evidence): string[] {
  const count = look.length + notSent.filter(({ probe }) => nameOf(probe) === name).length;
  const { burst } = target.limits;
  const least = Math.min(burst, 2 * target.rate.requests + 1);
  return count >= least && count <= burst ? [] : [`${name} has ${count} requests, not ${burst}`];
}
