/** Command lines that show again what a run saw: one sends a recorded request, another runs a clause. */
import { catalogue, groups, type Need } from '../../catalogue/catalogue';
import { command } from '../../common/suite';
import { compact } from '../../common/text';
import type { Evidence, Exchange, RecordedRequest } from '../../evidence/model';
import { ruleOf } from '../../profiles/rules';
import { MARKER } from '../../redaction/markers';

/** Header lines that curl sends by itself, or that change no answer. */
const IMPLIED =
  /^(?:(?:connection|content-length|transfer-encoding|user-agent):|accept: (?:\*\/\*|application\/json)$)/i;

type SecretVariables = Evidence['target']['variables'];

/** Returns a request as one curl line for a POSIX shell. @param target says which variables and certificates it needs */
export function curlOf(request: RecordedRequest, target: Partial<Evidence['target']> = {}): string {
  const { method, url, headers } = request;
  const { variables, insecureTls, extraAuthorities, clientCertificate } = target;
  const words = ['curl', method === 'HEAD' ? '--head' : '-i'];
  if (method !== 'GET' && method !== 'HEAD') words.push('-X', wordOf(method));
  const isTls = url.startsWith('https:');
  if (isTls && insecureTls) words.push('-k');
  else if (isTls && extraAuthorities) words.push('--cacert', '"$NODE_EXTRA_CA_CERTS"');
  if (isTls && clientCertificate)
    words.push('--cert', wordOf(clientCertificate.cert), '--key', wordOf(clientCertificate.key));
  // Without these curl expands brackets and braces in a URL, and removes `.` and `..` from its path.
  if (/[[\]{}]/.test(url)) words.push('--globoff');
  if (/\/\.\.?(?:[/?]|$)/.test(url)) words.push('--path-as-is');
  const host = /^\w+:\/\/([^/?#]*)/.exec(url)?.[1];
  for (const [name, value] of headers) {
    if (IMPLIED.test(`${name}: ${value}`) || (/^host$/i.test(name) && value === host)) continue;
    if (/^accept-encoding$/i.test(name)) words.push('--compressed');
    // For curl, `name:` removes a header and `name;` sends it empty.
    else words.push('-H', wordOf(value === '' ? `${name};` : `${name}: ${value}`, variables));
  }
  return [...words, wordOf(url, variables)].join(' ');
}

/** How a shell makes another form of a key from its variable. A form that is not here has a variable of its own. */
const DERIVED: ReadonlyMap<string, (variable: string) => string> = new Map([
  ...groups
    .flatMap((group) => Object.entries(catalogue[group].forms))
    .flatMap(([form, { shell }]) => (shell ? [[form, shell] as const] : [])),
  ['base64', (key: string) => `$(printf %s "$${key}" | base64)`],
]);

const KINDS: Readonly<Record<string, string>> = {
  apiKey: 'the key of',
  password: 'the password of',
  header: 'the value of',
  receiverKey: "the receiver's key of",
  cookie: 'the cookies, as name=value, that the server set in answer to',
};

/** Returns the variable of a marker: `API_KEY_ALICE` for `[secret:apiKey:alice]`, unless the user has another. */
export function variableOf(marker: string, variables: SecretVariables = {}) {
  const [[, kind = '', name = '', form = 'percent'] = []] = [...marker.matchAll(MARKER)];
  const derive = DERIVED.get(form);
  const isOther = form !== 'percent' && derive === undefined;
  const own = variables[`${kind}:${name}`];
  const plain = own ?? shouted(`${kind}_${name}`);
  const called = isOther ? shouted(`${plain}_${form}`) : plain;
  return {
    name: called,
    /** Whether the user has set it for the suite. */
    isUsers: Boolean(own && !isOther),
    /** What it must hold: "the key of alice". */
    holds: `${KINDS[kind] ?? kind} ${name}${isOther ? ` with its ${form.replaceAll('-', ' ')}` : ''}`,
    /** What a shell makes another form of the secret from; `null` if the variable holds that form itself. */
    derived: derive?.(called) ?? null,
  };
}

function shouted(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
}

/** Returns a text as one word of a shell, with a variable in the place of each secret. */
function wordOf(text: string, variables: SecretVariables = {}): string {
  const markers = text.match(MARKER) ?? [];
  if (markers.length === 0) return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
  // Between two plain parts, `split` puts the kind, the name and the form of a marker.
  const plain = text.split(MARKER).filter((_, i) => i % 4 === 0);
  const parts = plain.map((part, i) => {
    // Between double quotes, an interactive shell takes `!` for a piece of its history.
    const quoted = part.replace(/["$`\\]/g, '\\$&').replaceAll('!', `"'!'"`);
    const marker = markers[i];
    if (marker === undefined) return quoted;
    const { name, derived } = variableOf(marker, variables);
    // In braces if the next character would seem part of its name.
    return quoted + (derived ?? (/^\w/.test(plain[i + 1] ?? '') ? `\${${name}}` : `$${name}`));
  });
  return `"${parts.join('')}"`;
}

/** Returns the command that runs clauses against the same target, as far as the evidence shows. @param ids default: all */
export function runAgain({ target }: Evidence, ids: readonly string[] = []): string {
  const { embedded, accounts, baseURL, file = 'target.yaml', riskyProbes, insecureTls } = target;
  // Only a target file gives accounts other names.
  const isOfFile = accounts.map(({ name }) => name).join() !== 'default';
  return compact(
    !embedded && (isOfFile ? `TARGET=${wordOf(file)}` : `BASE_URL=${wordOf(baseURL)} API_KEY="$API_KEY"`),
    !embedded && riskyProbes && 'RISKY_PROBES=1',
    insecureTls && 'INSECURE_TLS=1',
    command,
    // The space keeps longer ids from matching.
    ids.length > 0 && `-g ${wordOf(ids.map((id) => `${id} `).join('|'))}`,
  ).join(' ');
}

/** Returns the command that sends what a clause needs; `null` if `telling`, the best exchange, shows it again alone. */
export function commandFor(id: string, telling: Exchange | undefined, evidence: Evidence): string | null {
  const { needs } = ruleOf(id);
  // One read shows wrong settings or headers. No read shows a notification.
  const isShownByOne = telling?.probe.group === 'read' && !needs.includes('events');
  return isShownByOne || !needs.some(takesTheRun) ? null : runAgain(evidence, [id]);
}

/** Whether one request alone does not show a breach again, because order, pace or number matter. */
function takesTheRun(group: Need): boolean {
  const { sent, isRespelled = false } = catalogue[group];
  return isRespelled || !['once', 'dealt', 'declared'].includes(sent);
}
