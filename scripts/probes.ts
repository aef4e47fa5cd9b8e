/** `npm run probes`: writes `docs/probes.md`, all that a run may send, as the catalogue says it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue, type Group, groups, type Need, planOf, probe, requestOf } from '../src/catalogue/catalogue';
import type { GroupRecord } from '../src/catalogue/record';
import { clauseTexts } from '../src/contract/clauses';
import { keysOf } from '../src/probes/requests';
import { ruleOf } from '../src/profiles/rules';
import { curlOf } from '../src/report/breach/curl';

/** Where the table stands. */
export const PROBES = join(__dirname, '..', 'docs', 'probes.md');

const BASE_URL = 'https://api.example/v2';
const ALICE = 'alice';

const TIMES: Readonly<Record<GroupRecord['sent'], string>> = {
  once: 'once',
  dealt: 'once, by one of the accounts',
  declared: 'once by each account',
  open: 'once by each account whose key is accepted',
  limit: 'one to three times by each account',
  recovering: 'one to three times by one account',
  between: 'before requests of some accounts',
  'if-needed': 'where something else left a question open',
};
const CONFORMS: Readonly<Record<GroupRecord['answer'], string>> = {
  rejected: 'a 4xx',
  'not-served': 'no 2xx',
  accepted: 'a 2xx',
  observed: '',
};

/** Returns the text of the table. */
export function probesText(): string {
  const sent = groups.filter((group) => Object.keys(catalogue[group].forms).length > 0);
  const rows = sent.map((group) => {
    const { answer, sent, parts, bursts } = catalogue[group];
    const clauses = clauseTexts.filter(({ id }) => planOf(ruleOf(id).needs).has(group as Need)).map(({ id }) => id);
    const asking =
      clauses.length > MOST_NAMED ? `${clauses.length} clauses` : clauses.map((id) => `\`${id}\``).join(' ');
    const each = sent === 'once' && (parts as readonly string[]).includes('account') ? ' for each account' : '';
    const burst = bursts ? `, a burst ${bursts === 'at-once' ? 'at one moment' : 'one by one'}` : '';
    return [`\`${group}\``, linesOf(group).join('<br>'), `${TIMES[sent]}${each}${burst}`, CONFORMS[answer], asking];
  });
  const head = ['Probe', 'What is sent', 'How often', 'Conforms', 'Asked for by'];
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${INTRO}\n${lines.join('\n')}\n`;
}

/** A group that more clauses ask for names none of them. */
const MOST_NAMED = 6;

const INTRO = `# What a run sends

Written by \`npm run probes\` from the catalogue of probes (\`src/catalogue\`), which also plans each run. A run sends what its
clauses ask for, and what that builds on. Here the key is that of an account \`alice\`, the address \`${BASE_URL}\`. Each request of the
run stands in \`evidence.har\`, with the name of its probe. What is *risky* takes \`RISKY_PROBES=1\`.
`;

/** Returns each request of a group as a command line. Keys that are made up anew for each run have a variable as well. */
function linesOf(group: Group): string[] {
  const target = { accounts: [{ name: ALICE, apiKey: 'Aa1bB2cC3dD4eE5f', hasKnownPassword: true }], baseURL: BASE_URL };
  const keys = { ...keysOf({ target, registerSecret: (marker) => marker }), cookies: () => '[secret:cookie:alice]' };
  const { forms, parts }: GroupRecord = catalogue[group];
  const lines = Object.entries(forms).flatMap(([form, { isRisky }]) => {
    const request = requestOf(
      probe(group, parts.includes('account') ? { account: ALICE, form } : { form }),
      keys,
      form,
    );
    if (!request) return [];
    const { method = 'GET', path, headers = [] } = request;
    const url = /^https?:/.test(path) ? path : BASE_URL + path;
    const line = curlOf({ method, url, headers })
      .replace(/no-such-path-\w+/, 'no-such-path')
      .replace(/\?x=\d+/, '?x=1')
      .replace(/203\.0\.113\.\d+/, '203.0.113.1')
      .replace(/'apiKey: (?:[A-F][a-f]\w{14}|[0-9a-f]{32})'/, '"apiKey: $MADE_UP_KEY"');
    return `\`${line.replaceAll('|', '\\|')}\`${isRisky ? ' (*risky*)' : ''}`;
  });
  return [...new Set(lines)];
}

if (require.main === module) writeFileSync(PROBES, probesText());
