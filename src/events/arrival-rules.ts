/** The event clauses on whether, when and where notifications arrive (API description, section 6). */
import { isSameProbe, probe } from '../catalogue/catalogue';
import { cut } from '../common/text';
import type { Flaw } from '../contract/result';
import type { Delivery, Evidence, Trigger } from '../evidence/model';
import {
  type Breach,
  type Finding,
  flawIn,
  judged,
  notTested,
  notTestedWhen,
  type Rule,
  type Rules,
} from '../judge/finding';
import { arrivedAt, causeOf, type Expected, isInTime, type Watched, watchedIn } from './deliveries';

export const arrivalRules: Rules = {
  'event.enabled-sent': judging(everyKindThatIsOnIsSent),
  'event.disabled-silent': judging(kindsThatAreOffAreSilent),
  'event.own-url': judging(eachComesToItsOwnUrl),
};

const LONGEST_ADDRESS = 118;

/** A rule about what was triggered and what arrived. Where a trigger failed, only breaches count. */
export function judging(judge: (watched: Watched, evidence: Evidence) => Finding): Rule {
  return {
    needs: ['events'],
    judge(evidence) {
      const watched = watchedIn(evidence);
      const finding = 'whyNot' in watched ? notTested(watched.whyNot) : judge(watched, evidence);
      const failed = evidence.triggers.find(({ failure }) => failure !== null);
      return notTestedWhen(finding, failed?.failure ?? null, []);
    },
  };
}

const NONE_ON = 'No kind of the accounts in `notifications.accounts` is on: switch one on, or list another account.';
export const NOTHING_CAME = 'Nothing arrived at the url of a kind that is on.';

/** Notifications that did not arrive in time. A notification that went elsewhere was sent: event.own-url judges it. */
function everyKindThatIsOnIsSent({ expected, misdirected, strays, waitMs }: Watched, evidence: Evidence): Finding {
  if (expected.length === 0) return notTested({ declare: NONE_ON });
  const missing = expected.filter(
    (each) =>
      !misdirected.has(each) &&
      !strays.some((delivery) => arrivedAt(delivery, each.address)) &&
      !each.own.some((delivery) => isInTime(delivery, each.trigger, waitMs)),
  );
  // What nobody knows to lead to the receiver accuses the tunnel as much as the server.
  const unknown = missing.map((each) => whyWayIsUnknown(each, expected, evidence));
  const accused = missing.filter((_, i) => unknown[i] === null);
  const [why = null] = unknown.filter((reason) => reason !== null);
  const inTime = `within ${waitMs / 1000} s of the trigger`;
  const breaches = accused.map((each) => {
    const { own, trigger, address } = each;
    const [first] = own;
    const late = first ? `, only after ${((first.receivedAtMs - trigger.endedAtMs) / 1000).toFixed(1)} s` : '';
    const checked = trigger.checkedAtMs === undefined ? '' : ", and the run's own request there had arrived";
    const got = `nothing at ${shown(address)} ${inTime}, though it is on${late}${checked}`;
    const flaw = flawIn('notification', named(trigger), got, `a request to ${shown(address)} ${inTime}`);
    return breachOf(each, own.slice(0, 1), flaw);
  });
  return notTestedWhen(judgedOn(expected, breaches), why);
}

/** Why it is not known whether a kind's url leads to the receiver; `null` once something has arrived there from its host. */
function whyWayIsUnknown(
  { trigger, configured }: Expected,
  expected: readonly Expected[],
  { notSent }: Evidence,
): string | null {
  const { account, kind } = trigger;
  const noted = notSent.find(({ probe: sent }) => isSameProbe(sent, probe('receiver-check', { account, form: kind })));
  const hostOf = (each: Pick<Expected, 'trigger' | 'configured'>) =>
    /^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(each.configured.kinds[each.trigger.kind]?.url ?? '')?.[1];
  const host = hostOf({ trigger, configured });
  const isShown = expected.some((other) => other.own.length > 0 && hostOf(other) === host);
  return noted && !isShown ? `Nothing arrived for ${named(trigger)}. ${noted.reason}` : null;
}

/** Deliveries while only kinds that are off had been triggered. */
function kindsThatAreOffAreSilent({ silent, unasked, reads, all }: Watched, evidence: Evidence): Finding {
  if (silent.length === 0)
    return notTested(
      evidence.notSent.find(({ probe }) => probe.group === 'receiver-check')?.reason ??
        'Every kind of the accounts in `notifications.accounts` is on: switch one off, or list another account.',
    );
  // Where nothing at all arrives, silence may be that of a tunnel.
  if (all.length === 0)
    return notTested(
      'Nothing arrived at the receiver at all, so the silence of kinds that are off proves nothing: switch a kind on, ' +
        'and see that it arrives (event.enabled-sent).',
    );
  const triggers = silent.map(({ trigger }) => trigger);
  const concerned = reads.filter((read) => triggers.some(({ account }) => account === read.account));
  const breaches = unasked.map((delivery): Breach => {
    const trigger = silent.find(({ address }) => arrivedAt(delivery, address))?.trigger;
    const [what, when] = trigger
      ? [named(trigger), 'though it is off']
      : [triggers.map(named).join(', '), 'while nothing had been triggered but what is off'];
    return {
      ...flawIn('notification', what, `${line(delivery)} ${when}`, 'nothing'),
      exchanges: concerned.filter((read) => !trigger || read.account === trigger.account).slice(0, 1),
      deliveries: [delivery],
    };
  });
  return judged(concerned, breaches);
}

/** Deliveries at another address than their own kind's, and deliveries that nothing explains. */
function eachComesToItsOwnUrl({ expected, strays, misdirected }: Watched): Finding {
  if (expected.length === 0) return notTested({ declare: NONE_ON });
  if (strays.length === 0 && expected.every(({ own }) => own.length === 0)) return notTested(NOTHING_CAME);
  const elsewhere = [...misdirected].map(([missing, delivery]) => {
    const own = shown(missing.address);
    const got = `${line(delivery)} instead of ${own}`;
    return breachOf(missing, [delivery], flawIn('notification', named(missing.trigger), got, `a request to ${own}`));
  });
  const reported = new Set(misdirected.values());
  const copies = strays
    .filter((delivery) => !reported.has(delivery))
    .map((delivery) => {
      const cause = causeOf(delivery, expected);
      const after = cause ? `after triggering ${named(cause.trigger)}` : 'before anything was triggered';
      const got = `where nothing was expected, ${after}`;
      return breachOf(cause, [delivery], flawIn('notification', line(delivery), got, 'nothing at this address'));
    });
  return judgedOn(expected, [...elsewhere, ...copies], strays);
}

export function judgedOn(expected: readonly Expected[], breaches: Breach[], strays: readonly Delivery[] = []): Finding {
  return judged([...expected.flatMap(({ configured, own }) => [configured.read, ...own]), ...strays], breaches);
}

export function breachOf(expected: Expected | undefined, deliveries: Delivery[], flaw: Flaw): Breach {
  return { ...flaw, exchanges: expected ? [expected.configured.read] : [], deliveries };
}

export function named({ kind, account }: Trigger): string {
  return `"${kind}" of ${account}`;
}

export function line(delivery: Delivery): string {
  return `${delivery.method} ${cut(delivery.path, LONGEST_ADDRESS)}`;
}

export function shown(address: string): string {
  const [path = '', ...parameters] = address.split('\n');
  return cut(parameters.length > 0 ? `${path}?${parameters.join('&')}` : path, LONGEST_ADDRESS);
}
