/**
 * Whether bursts are what they are called: they begin with a whole budget, nothing else of their account is sent
 * meanwhile, and what is sent one after another is.
 */
import type { Evidence, Exchange } from '../../evidence/exchange';
import { openerOf } from '../../evidence/looks';
import { type Group, nameOf } from '../../evidence/probe';

const BURSTS: readonly Group[] = ['sequence', 'concurrent'];

export function burstProblems(evidence: Evidence): string[] {
  return evidence.target.accounts.flatMap(({ name }) => {
    const own = evidence.exchanges.filter((one) => one.account === name).sort((a, b) => a.sentAtMs - b.sentAtMs);
    return looksOf(own).flatMap((look) => problemsOf(look, own, evidence));
  });
}

/** The exchanges of each look at a burst. */
function looksOf(exchanges: readonly Exchange[]): Exchange[][] {
  const looks = new Map<string, Exchange[]>();
  for (const exchange of exchanges.filter(({ probe }) => BURSTS.includes(probe.group))) {
    const name = nameOf(exchange.probe);
    looks.set(name, [...(looks.get(name) ?? []), exchange]);
  }
  return [...looks.values()];
}

function problemsOf(look: readonly Exchange[], own: readonly Exchange[], evidence: Evidence): string[] {
  const [begun] = look;
  if (!begun) return [];
  const first = openerOf(begun, evidence) ?? begun;
  const windowMs = evidence.target.rate.seconds * 1000;
  const name = nameOf(begun.probe);
  const endMs = Math.max(...look.map((one) => one.receivedAtMs));
  const beforeMs = Math.max(...own.filter((one) => one.sentAtMs < first.sentAtMs).map((one) => one.receivedAtMs));
  const stranger = own.find(
    (one) => one !== first && !look.includes(one) && one.sentAtMs >= first.sentAtMs && one.sentAtMs < endMs,
  );
  const overlaps = look.some((one, i) => i > 0 && one.sentAtMs < (look[i - 1]?.receivedAtMs ?? 0));
  return [
    first.sentAtMs < beforeMs + windowMs && `${name} begins before the budget of its account is whole`,
    stranger !== undefined && `entry ${stranger.index} was sent in the middle of ${name}`,
    begun.probe.group === 'sequence' && overlaps && `requests of ${name} overlap`,
    ...(begun.probe.group === 'concurrent' ? sizeProblems(look, name, evidence) : []),
  ].filter((problem) => problem !== false);
}

/** A burst has its declared size, or less where a server queues; twice the limit is passed in any case. */
function sizeProblems(look: readonly Exchange[], name: string, { target, notSent }: Evidence): string[] {
  const count = look.length + notSent.filter(({ probe }) => nameOf(probe) === name).length;
  const { burst } = target.limits;
  const least = Math.min(burst, 2 * target.rate.requests + 1);
  return count >= least && count <= burst ? [] : [`${name} has ${count} requests, not ${burst}`];
}
