/** Where a clause comes from: the sections of the API description in our own words, and where RFCs are published. */

/** What the sections say that clauses and observations name, by number and title; text between backticks is code. */
export const sections: Readonly<Record<string, string>> = {
  '2.1 Webhook settings':
    'A read answers with one object whose only member is `webhook`. In it stand `start`, `submission` and `updates`, ' +
    'each with a boolean `status` and the `url` of its receiver, and `auth`: a boolean `status`, the `type` (shown: ' +
    '"basic"), `basic` with `username` (a string or null), `password` (always null) and `hasPassword` (whether one is ' +
    'stored), and `apikey` with `header` and `apikey` (null while unused). Other types, and what these two hold when ' +
    'set, are left open.',
  '4.1 Reading the settings':
    'GET `/webhooks` below the base URL, with the header `apiKey` and without a body, answers with the settings of ' +
    'the account that owns the key. Query parameters are left open.',
  '4.2 Base path':
    'A GET on the base URL with a slash and the key is the example of an authenticated request. What it answers is ' +
    'left open, and so are all other endpoints.',
  '5 Authentication':
    'Every request, whatever its method and path, carries a key in the header `apiKey`. The key is a secret, belongs ' +
    'to one account, and both identifies the caller and opens the API. Support issues keys; the API does not.',
  '6 Notifications':
    'There are three kinds, start, submission and updates. A kind is sent only while its `status` is true, and to its ' +
    'own `url`. `auth` says what the receiver is shown: Basic credentials, or a key in a header. What sets a kind ' +
    'off, its method, headers and payload, and retries are left open.',
  '7 Errors':
    'The status, the codes and the body of an error are left open; only the headers of the rate limit are described.',
  '8 Limits':
    'Each user may send 1 request per second. `X-RateLimit-Limit` is how many requests the window allows, ' +
    '`X-RateLimit-Remaining` how many are left in it, `X-RateLimit-Reset` when it ends, in seconds since the epoch. ' +
    '`Retry-After` is the seconds to wait, or an HTTP date. The status and the body over the limit are left open, and ' +
    'which responses carry which header.',
  '9 Versioning':
    'The version is part of the path: the base URL ends in `v2`. How versions are selected or retired is left open.',
};

/** The address of a section such as "RFC 9110 15.5"; `null` for one of the API description. */
export function rfcAddress(section: string): string | null {
  const [, number, part] = /^RFC (\d+) ([\d.]+)$/.exec(section) ?? [];
  return number ? `https://www.rfc-editor.org/rfc/rfc${number}#section-${part}` : null;
}
