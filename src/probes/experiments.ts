/**
 * The experiments of a run: how it finds out what an answer means, where several explanations are left once the plan
 * was sent. Before each it is asked anew whether it is open, so what one has decided is not looked at again.
 */
import type { Need } from '../catalogue/catalogue';
import { isRefusedAfterItsTurn } from '../evidence/responder/queueing';
import { limitedAccounts } from '../limiter/enforced';
import { isStricter, oddSingles, seemingWindowSeconds } from '../limiter/stricter';
import { areApart } from '../limiter/timeline';
import { oddTurns, worldsLeft } from '../limiter/worlds';
import type { Recorder } from '../recorder/recorder';
import type { PendingRequests } from './pending';
import type { Spacing } from './requests';
import { seekEncounter, tryNeighbours } from './rounds';
import { askAfterWholeBudget, askHardlyApart, askWhyRefused, seekAnotherClient } from './rows';
import type { SimultaneousReads } from './simultaneous-reads';
import type { WrongKeyRetries } from './wrong-key-retries';

/** What was sent by now: all accounts at one moment, what each sends alone, or the trials at the limit as well. */
type Stage = 'together' | 'alone' | 'at the limit';

/** A run, as far as experiments ask about it. */
export interface Inquiry {
  recorder: Recorder;
  planned: ReadonlySet<Need>;
  /** The accounts whose keys were accepted. */
  open: readonly string[];
  spacing: Spacing;
  wrongKeys: WrongKeyRetries;
  together: SimultaneousReads;
  pending: PendingRequests;
  /** Accounts whose refusals were looked into. */
  searched: Set<string>;
  stage: Stage;
}

/** Conducts the experiments that are open at this stage, one after another. */
export async function inquire(inquiry: Inquiry): Promise<void> {
  const { recorder, planned, open, spacing, together, searched, stage } = inquiry;
  const evidence = () => recorder.evidence();
  const isAtTheLimit = stage === 'at the limit';
  if (planned.has('together') && isAtTheLimit) {
    await askHardlyApart(recorder, spacing.hasNeighbours ? open.slice(0, 1) : open);
    await askAfterWholeBudget(recorder, open);
  }
  if (planned.has('sequence') && mayHaveNeighbours(inquiry)) await findNeighbour(inquiry);
  if (planned.has('together') && mayBeCharged(inquiry)) await findCharge(inquiry);
  if (stage !== 'together')
    for (let name = refusedWithoutReason(inquiry); name !== undefined; name = refusedWithoutReason(inquiry)) {
      searched.add(name);
      const account = name;
      await askWhyRefused(
        recorder,
        account,
        open.filter((other) => other !== account),
      );
    }
  if (isAtTheLimit) {
    if (planned.has('together') && !isStricter(evidence()) && !spacing.hasNeighbours) await together.askUnsureAgain();
    for (const { name } of recorder.target.accounts) await seekAnotherClient(recorder, name);
    const limited = limitedIn(inquiry);
    if (planned.has('sequence') && limited.length > 1) await seekEncounter(recorder, limited);
  }
  if (!spacing.hasNeighbours) recorder.pace.unshare();
}

/** Whether another account may be why one was refused, which is not yet known. */
function mayHaveNeighbours(inquiry: Inquiry): boolean {
  const { recorder, spacing, together } = inquiry;
  const isKnown = spacing.hasNeighbours || isStricter(recorder.evidence()) || together.wasCharged;
  return !isKnown && (recorder.pace.shared || spacing.mayBeANeighbour) && limitedIn(inquiry).length > 1;
}

function limitedIn({ recorder, open }: Inquiry): string[] {
  const limited = limitedAccounts(recorder.evidence());
  return open.filter((name) => limited.includes(name));
}

/** The accounts that were refused although their requests kept their distance, or that longer windows seem to hold back. */
function suspectsOf(inquiry: Inquiry): string[] {
  const { recorder, spacing, together } = inquiry;
  // Only later requests may have shown with which status this server refuses.
  const evidence = recorder.evidence();
  const late = evidence.exchanges.find((exchange) => isRefusedAfterItsTurn(exchange, evidence))?.account;
  const limited = limitedIn(inquiry);
  const alone = limited.filter((name) => name === late || oddTurns(evidence, name).length > 0);
  const longer = seemingWindowSeconds(evidence) === null ? [] : limited.slice(0, 1);
  const first = [spacing.firstRefused, together.overLimit()].flatMap((name) => name ?? []);
  return [...first, ...alone, ...longer].filter((name) => limited.includes(name));
}

/** The first of them that was not looked into, and of which it is open why it was refused. */
function refusedWithoutReason(inquiry: Inquiry): string | undefined {
  const { recorder, spacing, together, searched } = inquiry;
  const evidence = recorder.evidence();
  if (together.wasCharged) return undefined;
  return suspectsOf(inquiry).find(
    (account) =>
      !searched.has(account) &&
      worldsLeft(evidence, account).size > 1 &&
      (!spacing.hasNeighbours || oddSingles(evidence, account).length > 0),
  );
}

/** Whether reads right after requests without a key were refused, and nothing else explains that. */
function mayBeCharged(inquiry: Inquiry): boolean {
  const { recorder, open, spacing, together, stage } = inquiry;
  if (!together.isToBeRepeated) return false;
  if (stage === 'at the limit' && together.areCharged) return true;
  // One budget for all accounts lets one of several reads through, unless something else has used it up.
  const isShared = spacing.hasNeighbours && open.some((name) => !together.isRefused(name));
  return !isShared && !isStricter(recorder.evidence()) && suspectsOf(inquiry).length > 0;
}

async function findCharge({ recorder, open, spacing, wrongKeys, together }: Inquiry): Promise<void> {
  if (!(await together.again())) return;
  // Budget that requests without a key used up comes back in a window.
  for (const name of open) recorder.pace.used(name, recorder.now());
  wrongKeys.spare();
  spacing.mayBeANeighbour = false;
}

/** Looks whether another account caused a refusal. Only if one did, accounts take turns from then on. */
async function findNeighbour(inquiry: Inquiry): Promise<void> {
  const { recorder, spacing } = inquiry;
  const { pace } = recorder;
  const open = limitedIn(inquiry);
  spacing.mayBeANeighbour = false;
  pace.share();
  const asked = spacing.firstRefused ?? open[1] ?? '';
  const evidence = recorder.evidence();
  const others = open.filter((name) => name === asked || !areApart(name, asked, evidence));
  spacing.hasNeighbours = await tryNeighbours(recorder, others, asked, (account) => inquiry.pending.toAccept(account));
  if (!spacing.hasNeighbours) pace.unshare();
}
