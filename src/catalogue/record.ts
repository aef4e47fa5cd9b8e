/** What the catalogue says of a group of probes and of each of its forms. */

/** The parts that a probe may have besides its group. */
export type Part = 'account' | 'trial' | 'form';

/** Header lines with the order and the letter case of the wire, duplicates included. */
export type Lines = ReadonlyArray<readonly [name: string, value: string]>;

/** What the requests of a run are made from. Secrets go into requests as markers. */
export interface Keys {
  /** The declared accounts, with their keys. */
  accounts: ReadonlyArray<Holder>;
  /** The base URL, ending in its version. */
  baseURL: string;
  /** Whether a valid key may be sent in a URL, where it may be logged. */
  isRiskAllowed?: boolean;
  /** Returns the marker of an account's valid key. */
  valid(account: string): string;
  /** Returns the marker of the cookies that an account's accepted read set; `null` if it set none. */
  cookies?(account: string): string | null;
  /** Registers what was made from an account's key, and returns its marker. */
  derived(account: string, form: string, value: string): string;
}

export interface Holder {
  name: string;
  apiKey: string;
  /** Whether its stored password is declared, so that it is found in answers. */
  hasKnownPassword?: boolean;
}

/** What a request asks for. */
export interface Asked {
  /** Default: GET. */
  method?: string;
  /** A path below the base URL, or an absolute URL. Default: `/webhooks` (API description, section 4.1). */
  path?: string;
  /** Sent in addition to the standing headers, or in place of those with the same name. Markers stand for secrets. */
  headers?: Lines;
}

/** One variant of a group's request. A group with a single one names it `''`. */
export interface Form {
  /** How it is called in a sentence about it. Default: its name. */
  words?: string;
  /** What is sent; `null` where this key or address has no such form. */
  sends(keys: Keys, holder: Holder): Asked | null;
  /** How a shell makes this form of a key from the variable that holds the key. */
  shell?(variable: string): string;
  /** Sent only with RISKY_PROBES: a broken server might act on it or log it. */
  isRisky?: true;
  /** Careless servers accept it most often, so it is sent before a guard counts many wrong keys. */
  isTelling?: true;
  /** So near to an account's key that a limiter before authentication may charge it to that account. */
  isNearMiss?: true;
  /** Of a group that is dealt out: one account's answer does not speak for the others, so each asks. */
  isOfEachAccount?: true;
}

export interface GroupRecord {
  /** The parts that follow the group in a probe's name, in order. */
  parts: readonly Part[];
  /** What must have been sent before. */
  buildsOn?: string;
  /** Whether its requests carry a valid key in the `apiKey` header; absent where it has no request. */
  key?: 'valid' | 'none';
  /** `rejected`: a 4xx. `not-served`: no 2xx. `accepted`: a 2xx, unless refused. `observed`: none of these. */
  answer: 'rejected' | 'not-served' | 'accepted' | 'observed';
  /**
   * How often it is sent in a whole run. `once`: each form, for each account that is part of its name. `dealt`: each form, by one of
   * the accounts. `declared`, `open`: by each account that is declared, or whose key is accepted. `limit`: by each
   * account that is still asked when the limit is tried. `recovering`: by the account that tests what a refusal promises,
   * unless no limit is kept. `between`: before requests of some accounts. `if-needed`: where something else left a question open.
   */
  sent: 'once' | 'dealt' | 'declared' | 'open' | 'limit' | 'recovering' | 'between' | 'if-needed';
  forms: Readonly<Record<string, Form>>;
  /** Returns how it was asked, in words that complete "401 …". Default: `without a key`. */
  words?(account: string | null, form: string): string;
  /** The earlier, the lower: the order of sending before a guard counts many wrong keys. Default: 3. */
  rank?: number;
  /** Sends more than the rate allows: one by one, or at one moment. */
  bursts?: 'one-by-one' | 'at-once';
  /** A read of it that is not accepted was refused by the limiter. */
  isAtTheLimit?: true;
  /** No request of it has to wait for budget, so it shows the usual latency. */
  isUnhurried?: true;
  /** Comes right after an accepted read, and may be charged to the same account. */
  followsARead?: true;
  /** Its first request may stand for the first read of a sequence. */
  mayOpen?: true;
  /** Not quite the described request: a server may count it otherwise, so nothing is concluded from it about other requests. */
  isRespelled?: true;
  /** One request alone does not show a breach again: it takes the order, the pace or the number of them. */
  takesTheRun?: true;
}
