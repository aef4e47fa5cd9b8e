/**
 * Shows, before anything is triggered, whether the url of a notification kind leads to the suite's receiver: a request
 * of the suite's own is sent there. Urls come from the server under test, so only hosts are asked that the user
 * declared as receivers.
 */
import { randomUUID } from 'node:crypto';
import { cut } from '../common/text';
import type { Notifications, Receiver, Target } from '../config/target';
import { KINDS } from '../contract/settings';
import { linesOf } from '../evidence/http/headers';
import { memberAt } from '../evidence/http/json';
import { urlOf } from '../evidence/http/url';
import type { Recorder } from '../recorder/recorder';
import { CountedWait, type WireOutcome } from '../recorder/transport/wire';
import { withoutMarkers } from '../redaction/markers';
import { addressOf } from './deliveries';

/** The header line with which the suite knows its own request again. */
const HEADER = 'X-Conformance-Check';
/** What a gate in front of the receiver answers to a request without credentials. The service may have some. */
const ASKS_FOR_CREDENTIALS = [401, 403];
const LONGEST_SHOWN = 160;

/**
 * `open`: the suite's own request arrived. `closed`: it was sent, and did not arrive. `unknown`: none was sent, or a gate
 * in front of the receiver rejected it. `why` has no full stop; of `closed` it is a sentence, of `unknown` the end of one.
 */
export type Way = { state: 'open'; arrivedAtMs: number } | { state: 'closed' | 'unknown'; why: string };

/** A request of the suite's own. */
interface Sent {
  /** At which path it arrived, and when; `null` until then. */
  at: { path: string; ms: number } | null;
  arrive: () => void;
}

export class ReceiverCheck {
  /** By the token in each request. */
  private readonly sent = new Map<string, Sent>();
  private readonly declared: ReadonlySet<string>;

  constructor(
    private readonly recorder: Recorder,
    private readonly notifications: Notifications,
    receiver: Receiver,
  ) {
    this.declared = declaredOrigins(recorder.target, notifications);
    receiver.isOwn = ({ method, path, headers }) => {
      const [token = ''] = linesOf(headers, HEADER);
      const sent = method === 'GET' ? this.sent.get(token) : undefined;
      if (!sent) return false;
      sent.at ??= { path, ms: recorder.now() };
      sent.arrive();
      return true;
    };
  }

  /** Returns the way to each url. All are asked at once, each once. */
  async waysTo(urls: Iterable<string>): Promise<ReadonlyMap<string, Way>> {
    const ways = [...new Set(urls)].map(async (url): Promise<[string, Way]> => {
      const why = this.whyNotAsked(url);
      return [url, why === null ? await this.ask(new URL(url)) : { state: 'unknown', why }];
    });
    return new Map(await Promise.all(ways));
  }

  private whyNotAsked(url: string): string | null {
    if (withoutMarkers(url) !== url)
      return 'it holds a secret, so the run does not ask there. Look whether the tunnel is open';
    if (!this.declared.has(originOf(url)))
      return 'only the server names its host. Declare it in `settings`, and the run asks there first';
    return null;
  }

  private async ask(url: URL): Promise<Way> {
    const { recorder } = this;
    const token = randomUUID();
    const sent: Sent = { at: null, arrive: () => undefined };
    const arrived = new Promise<void>((resolve) => {
      sent.arrive = resolve;
    });
    this.sent.set(token, sent);
    const outcome = await recorder.reach(url, [[HEADER, token]]);
    const status = outcome?.head?.status ?? 0;
    // A relay may answer first and pass the request on later.
    if (status >= 200 && status <= 299 && sent.at === null) {
      const wait = new CountedWait(recorder.clock, this.notifications.waitSeconds * 1000);
      await Promise.race([arrived, wait.ended]);
      wait.callOff();
    }
    return this.wayShownBy(url, sent, outcome);
  }

  private wayShownBy(url: URL, { at }: Sent, outcome: WireOutcome | null): Way {
    const request = `The run's own request to ${shownUrl(url)}`;
    if (at !== null) {
      if (addressOf(at.path) === addressOf(url.pathname + url.search)) return { state: 'open', arrivedAtMs: at.ms };
      const as = cut(this.recorder.masking.maskText(at.path), LONGEST_SHOWN);
      const why = `${request} arrived as ${as}: the way to the receiver must keep path and query`;
      return { state: 'closed', why };
    }
    const status = outcome?.head?.status;
    if (status !== undefined && ASKS_FOR_CREDENTIALS.includes(status))
      return {
        state: 'unknown',
        why: `something before it answered ${status} to the run's own request. Look whether it lets the service through`,
      };
    const instead = status === undefined ? outcome?.fault?.message : `something else answered ${status}`;
    return {
      state: 'closed',
      why: `${request} did not arrive at the receiver, which listens on ${this.notifications.listen}: ${instead ?? 'the run was stopped'}`,
    };
  }
}

/** Returns the origins that the user declared as receivers: of the urls of all accounts, and the suite's own. */
function declaredOrigins({ accounts }: Target, { listen }: Notifications): ReadonlySet<string> {
  const urls = accounts.flatMap(({ settings }) => KINDS.map((kind) => memberAt(settings, `${kind}.url`)));
  return new Set([`http://${listen}`, ...urls.filter((url) => typeof url === 'string')].map(originOf));
}

function originOf(url: string): string {
  return urlOf(url)?.origin ?? '';
}

/** Returns an address without credentials and query, which may hold secrets. */
function shownUrl({ origin, pathname }: URL): string {
  return cut(origin + pathname, LONGEST_SHOWN);
}
