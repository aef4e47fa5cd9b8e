/**
 * The experiments of a run: how it finds out what an answer means if several explanations are left. After each experiment
 * the run asks again which are open, so that nothing decided is looked at again.
 */
import type { Need } from '../catalogue/catalogue';
import { limitedAccounts } from '../limiter/enforced';
import { isStricter, oddSingles, seemingWindowSeconds } from '../limiter/stricter';
import { areApart } from '../limiter/timeline';
import { oddTurns, otherClients, worldsLeft } from '../limiter/worlds';
import type { Recorder } from '../recorder/recorder';
import { SHORT_WINDOW_MS } from './moments';
import type { PendingRequests } from './pending';
import type { Spacing } from './requests';
import type { SimultaneousReads } from './simultaneous-reads';
import { askAnotherToRecover } from './trials';
import {
  askAfterWholeBudget,
  askHardlyApart,
  askRefusedAgain,
  askWhyRefused,
  seekAnotherClient,
  seekEncounter,
  tryNeighbours,
} from './why-refused';
import type { WrongKeyRetries } from './wrong-key-retries';

/** How far a run is: all accounts were read at one moment, single requests were sent, or trials at the limit as well. */
const STAGES = ['together', 'alone', 'at the limit'] as const;
type Stage = (typeof STAGES)[number];

/** A run, as experiments see it. */
export interface Inquiry {
  recorder: Recorder;
  planned: ReadonlySet<Need>;
  /** The accounts whose keys were accepted. */
  open: readonly string[];
  spacing: Spacing;
  wrongKeys: WrongKeyRetries;
  together: SimultaneousReads;
  pending: PendingRequests;
  /** Accounts whose refusals were looked into, each with the stage of the run. */
  searched: Set<string>;
  stage: Stage;
}

interface Experiment {
  /** The group that must be planned. */
  needs: Need;
  /** The first stage at which it is worth its cost. */
  from: Stage;
  isOpen: (inquiry: Inquiry) => boolean;
  /** Whether it is conducted again while it is open, for one account after another. */
  isRepeated?: true;
  conduct: (inquiry: Inquiry) => Promise<unknown>;
}

/** In the order of asking. */
const EXPERIMENTS: readonly Experiment[] = [
  {
    // Are windows twice as long as declared, or was it chance?
    needs: 'together',
    from: 'at the limit',
    isOpen: ({ recorder }) => recorder.target.rate.requests === 1,
    conduct: ({ recorder, open, spacing }) => askHardlyApart(recorder, spacing.hasNeighbours ? open.slice(0, 1) : open),
  },
  {
    // The same, where several requests fit into a window.
    needs: 'together',
    from: 'at the limit',
    isOpen: ({ recorder }) => recorder.target.rate.requests > 1,
    conduct: ({ recorder, open }) => askAfterWholeBudget(recorder, open),
  },
  {
    // Do accounts share one budget, or is there a longer limit or another client?
    needs: 'sequence',
    from: 'together',
    isOpen: (inquiry) => {
      const { recorder, spacing, together } = inquiry;
      const isKnown = spacing.hasNeighbours || isStricter(recorder.evidence()) || together.wasCharged;
      return !isKnown && (recorder.pace.shared || spacing.mayBeANeighbour) && limitedIn(inquiry).length > 1;
    },
    conduct: findNeighbour,
  },
  {
    // Were wrong keys charged, or is there another reason?
    needs: 'together',
    from: 'together',
    isOpen: mayBeCharged,
    conduct: findCharge,
  },
  {
    // Is there a longer limit or another client, or was it chance?
    needs: 'read',
    from: 'alone',
    isOpen: (inquiry) => refusedWithoutReason(inquiry) !== undefined,
    isRepeated: true,
    conduct: async (inquiry) => {
      const account = refusedWithoutReason(inquiry) ?? '';
      const others = inquiry.open.filter((name) => name !== account);
      const isLetIn = await askWhyRefused(inquiry.recorder, account, others);
      for (const stage of isLetIn ? STAGES : [inquiry.stage]) inquiry.searched.add(`${account} ${stage}`);
    },
  },
  {
    // Are wrong keys free, or did a window end after them?
    needs: 'together',
    from: 'at the limit',
    isOpen: ({ recorder, spacing }) => !isStricter(recorder.evidence()) && !spacing.hasNeighbours,
    conduct: ({ together }) => together.askUnsureAgain(),
  },
  {
    // Does another client use the key, or does the limiter count what it refuses?
    needs: 'recovery',
    from: 'at the limit',
    isOpen: ({ recorder }) => !isStricter(recorder.evidence()),
    conduct: ({ recorder, open }) => askAnotherToRecover(recorder, open),
  },
  {
    // Does another client use the key, or is its account locked out?
    needs: 'read',
    from: 'at the limit',
    isOpen: () => true,
    conduct: async ({ recorder }) => {
      for (const { name } of recorder.target.accounts) await seekAnotherClient(recorder, name);
    },
  },
  {
    // Do other clients use several keys, or does the limiter refuse at random?
    needs: 'read',
    from: 'at the limit',
    isOpen: ({ recorder }) => recorder.pace.windowMs <= SHORT_WINDOW_MS && otherClients(recorder.evidence()).size > 1,
    conduct: ({ recorder }) => askRefusedAgain(recorder, [...otherClients(recorder.evidence()).keys()]),
  },
  {
    // Have accounts budgets of their own, or did a window end in between?
    needs: 'sequence',
    from: 'at the limit',
    isOpen: (inquiry) => limitedIn(inquiry).length > 1,
    conduct: (inquiry) => seekEncounter(inquiry.recorder, limitedIn(inquiry)),
  },
];

/** Conducts the open experiments, each once or once for each account. */
export async function inquire(inquiry: Inquiry): Promise<void> {
  const conducted = new Set<Experiment>();
  const isWorthwhile = ({ needs, from }: Experiment) =>
    inquiry.planned.has(needs) && STAGES.indexOf(from) <= STAGES.indexOf(inquiry.stage);
  const isDone = (experiment: Experiment) => conducted.has(experiment) && !experiment.isRepeated;
  const next = () => EXPERIMENTS.find((each) => !isDone(each) && isWorthwhile(each) && each.isOpen(inquiry));
  for (let experiment = next(); experiment; experiment = next()) {
    conducted.add(experiment);
    await experiment.conduct(inquiry);
  }
  if (!inquiry.spacing.hasNeighbours) inquiry.recorder.pace.shared = false;
}

function limitedIn({ recorder, open }: Inquiry): string[] {
  const limited = limitedAccounts(recorder.evidence());
  return open.filter((name) => limited.includes(name));
}

/** The accounts that were refused although their requests kept their distance, or for which windows seem longer. */
function suspectsOf(inquiry: Inquiry): string[] {
  const { recorder, spacing, together } = inquiry;
  // Only later requests may have shown with which status this server refuses.
  const evidence = recorder.evidence();
  const limited = limitedIn(inquiry);
  const alone = limited.filter((name) => oddTurns(evidence, name).length > 0);
  const longer = seemingWindowSeconds(evidence) === null ? [] : limited.slice(0, 1);
  const first = [spacing.firstRefused, together.overLimit()].flatMap((name) => name ?? []);
  return [...first, ...alone, ...longer].filter((name) => limited.includes(name));
}

/** The first suspect that was not looked into and whose refusals are not explained. */
function refusedWithoutReason(inquiry: Inquiry): string | undefined {
  const { recorder, spacing, together, searched, stage } = inquiry;
  const evidence = recorder.evidence();
  if (together.wasCharged) return undefined;
  return suspectsOf(inquiry).find(
    (account) =>
      !searched.has(`${account} ${stage}`) &&
      worldsLeft(evidence, account).size > 1 &&
      (!spacing.hasNeighbours || oddSingles(evidence, account).length > 0),
  );
}

/** Whether reads right after requests without a key were refused, and nothing else explains that. */
function mayBeCharged(inquiry: Inquiry): boolean {
  const { recorder, open, spacing, together } = inquiry;
  if (!together.isToBeRepeated) return false;
  // One budget for all accepts one of several reads, unless something else has used it up.
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

/** Finds out whether another account caused a refusal. If one did, accounts take turns from then on. */
async function findNeighbour(inquiry: Inquiry): Promise<void> {
  const { recorder, spacing } = inquiry;
  const { pace } = recorder;
  const open = limitedIn(inquiry);
  spacing.mayBeANeighbour = false;
  pace.shared = true;
  const asked = spacing.firstRefused ?? open[1] ?? '';
  const evidence = recorder.evidence();
  const others = open.filter((name) => !areApart(name, asked, evidence));
  spacing.hasNeighbours = await tryNeighbours(recorder, others, asked, inquiry.pending);
  if (!spacing.hasNeighbours) pace.shared = false;
}
