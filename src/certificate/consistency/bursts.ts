/** Checks that a burst begins with a whole budget, that nothing else is sent meanwhile, and that it has its size. */
import { catalogue, groupsWhere } from '../../catalogue/catalogue';
import { nameOf } from '../../catalogue/probe';
import { plural } from '../../common/plural';
import type { Evidence, Exchange } from '../../evidence/model';
import { ownOf } from '../../evidence/time/gaps';
import { otherPathBefore, trialsOf } from '../../rate-limit/trials';
import { compact } from '../../report/format';

export function burstProblems(evidence: Evidence): string[] {
  return evidence.target.accounts.flatMap(({ name: account }) =>
    groupsWhere(({ bursts }) => bursts).flatMap((group) =>
      trialsOf(evidence, group, account).flatMap((trial) => problemsOf(trial, ownOf(evidence, account), evidence)),
    ),
  );
}

/** @param own all exchanges of the account */
function problemsOf(trial: Exchange[], own: readonly Exchange[], evidence: Evidence): string[] {
  const { target, notSent } = evidence;
  const { probe } = trial.at(-1) as Exchange;
  const name = nameOf(probe);
  const { bursts } = catalogue[probe.group];
  const beginMs = Math.min(...trial.map(({ sentAtMs }) => sentAtMs));
  const endMs = Math.max(...trial.map(({ receivedAtMs }) => receivedAtMs));
  // It began the sequence, although it was accepted with a budget of its own.
  const opener = trial[0] && otherPathBefore(trial[0], evidence);
  const others = own.filter((exchange) => exchange !== opener && !trial.includes(exchange));
  const isEarly = others.some(
    ({ sentAtMs, receivedAtMs }) => sentAtMs < beginMs && receivedAtMs > beginMs - target.rate.seconds * 1000,
  );
  const stranger = others.find(({ sentAtMs }) => sentAtMs >= beginMs && sentAtMs < endMs);
  const overlaps = trial.some(({ sentAtMs }, i) => sentAtMs < (trial[i - 1]?.receivedAtMs ?? 0));
  // A burst has its declared size, or less if the server queues: then still more than twice the limit.
  const { burst } = target.limits;
  const count = trial.length + notSent.filter((skipped) => nameOf(skipped.probe) === name).length;
  const isSized = count >= Math.min(burst, 2 * target.rate.requests + 1) && count <= burst;
  return compact(
    isEarly && `${name} begins before the budget of its account is whole`,
    stranger && `entry ${stranger.index} was sent in the middle of ${name}`,
    bursts === 'one-by-one' && overlaps && `requests of ${name} overlap`,
    bursts === 'at-once' && !isSized && `${name} has ${plural(count, 'request')}, not ${burst}`,
  );
}
