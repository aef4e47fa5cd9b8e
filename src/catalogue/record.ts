/** The types of the catalogue: a group of probes, and each form of its request. */

/** The parts that a probe may have besides its group. */
export type Part = 'account' | 'trial' | 'form';

/** Header lines in the order and letter case of the wire, duplicates included. */
export type Lines = ReadonlyArray<readonly [name: string, value: string]>;

/** What requests are made from. Secrets go into them as markers. */
export interface Keys {
  accounts: ReadonlyArray<Holder>;
  baseURL: string;
  /** Whether what a broken server might act on or log may be sent, such as a valid key in a URL. */
  isRiskAllowed?: boolean;
  valid(account: string): string;
  /** Returns the marker of the cookies that an account's read set; `null` if it set none. */
  cookies?(account: string): string | null;
  /** Registers a value that was made from an account's key, and returns its marker. */
  derived(account: string, form: string, value: string): string;
}

export interface Holder {
  name: string;
  apiKey: string;
  /** Whether its stored password is declared, so that it can be found in answers. */
  hasKnownPassword?: boolean;
}

/** What a request asks for. */
export interface Asked {
  /** Default: GET. */
  method?: string;
  /** A path below the base URL, or an absolute URL. Default: `/webhooks` (API description, section 4.1). */
  path?: string;
  /** Sent besides the standing headers, or in place of those with the same name. Markers stand for secrets. */
  headers?: Lines;
}

/** One variant of a group's request. A group with only one names it `''`. */
export interface Form {
  /** How sentences call it. Default: its name. */
  words?: string;
  /** Returns what is sent; `null` if this key or address has no such form. */
  sends(keys: Keys, holder: Holder): Asked | null;
  /** Returns how a shell makes this form of a key from the variable that holds the key. */
  shell?(variable: string): string;
  /** Sent only with RISKY_PROBES, since a broken server might act on it or log it. */
  isRisky?: true;
  /** As `rank` of the group. Careless servers accept some forms most often. */
  rank?: number;
  /** So near to an account's key that a limiter before authentication may charge it to that account. */
  isNearMiss?: true;
  /** Sent by each account although the group is dealt: one answer does not speak for the other accounts. */
  isOfEachAccount?: true;
}

export interface GroupRecord {
  /** The parts that follow the group in a probe's name, in order. */
  parts: readonly Part[];
  buildsOn?: string;
  /** Whether its requests carry a valid key in the `apiKey` header. Absent if it has no request. */
  key?: 'valid' | 'none';
  /** `rejected`: a 4xx. `not-served`: no 2xx. `accepted`: a 2xx, unless refused. `observed`: none of these. */
  answer: 'rejected' | 'not-served' | 'accepted' | 'observed';
  /**
   * How often it is sent in a whole run.
   * - `once`: each form, for each account that is part of its name
   * - `dealt`: each form, by one of the accounts
   * - `declared`, `open`: by each account that is declared, or whose key is accepted
   * - `limit`: by each account with which the limit is tried
   * - `recovering`: by the account that tests what a refusal promises, if a limit is kept
   * - `between`: before requests of some accounts
   * - `if-needed`: if something else left a question open
   */
  sent: 'once' | 'dealt' | 'declared' | 'open' | 'limit' | 'recovering' | 'between' | 'if-needed';
  forms: Readonly<Record<string, Form>>;
  /** Returns how it was asked, in words that complete "401 …". Default: `without a key`. */
  words?(account: string | null, form: string): string;
  /** A lower rank is sent earlier, before a guard has counted many wrong keys; about the first account alone. Default: 3. */
  rank?: number;
  /** Sends more than the rate allows: one by one, or at one moment. */
  bursts?: 'one-by-one' | 'at-once';
  /** A read of it that is not accepted was refused by the limiter. */
  isAtTheLimit?: true;
  /** Comes right after an accepted read, and may be charged to the same account. */
  followsARead?: true;
  /** Its first request may stand for the first read of a sequence. */
  mayOpen?: true;
  /** Differs a little from the described request, so that a server may count it otherwise. */
  isRespelled?: true;
}
