/** What the register says about servers, and the page that shows it. */
import { groupedBy } from '../common/grouped';
import { plural } from '../common/plural';
import type { Conformance } from '../contract/result';
import { valueInWords } from '../report/format';
import { type Markup, markup } from '../report/markup';
import { filterOf, renderSection, renderTable, tableSection } from '../report/page/sections';
import { shell } from '../report/page/shell';

/** Observations that integrators ask about: how a server refuses, and which responses carry which headers. */
const OBSERVED = ['refusal.status', 'headers.carriage', 'reset.rounding', 'retry-after.form'];

export type RegisteredServer = ReturnType<typeof serverOf>;

/**
 * @param path of the package, from the register's directory
 * @param signer the vendor that the key is of, and the key's SHA-256; `null` if signatures were not checked
 */
export function serverOf(
  { target, startedAt, suite, profiles, observations }: Conformance,
  path: string,
  signer: { vendor: string; keyid: string } | null,
) {
  const seen = OBSERVED.filter((id) => Object.hasOwn(observations, id)).map((id) => [id, observations[id] ?? []]);
  return {
    /** `null` if the target file does not name one. */
    vendor: target.vendor ?? null,
    product: target.product ?? target.name,
    version: target.version ?? null,
    signer,
    /** The day of the run, `YYYY-MM-DD`. */
    date: startedAt.slice(0, 10),
    suite: suite.version,
    profiles,
    observations: Object.fromEntries(seen),
    report: `${path}/index.html`,
    package: path,
  };
}

/** The content of `register.json`. */
export interface Register {
  suite: { name: string; version: string };
  /** Whether each package had to be signed with a key of its vendor. */
  signaturesChecked: boolean;
  servers: RegisteredServer[];
  /** Packages that are not listed, and why. */
  refused: Array<{ package: string; reasons: string[] }>;
}

const COLUMNS = ['Server', 'Version', 'Signed by', 'Judged', 'Profiles', 'Refuses with', 'Headers', 'Reset', 'Report'];

export function renderRegister({ servers, refused, suite, signaturesChecked }: Register): string {
  const signatures = signaturesChecked
    ? "Each package is signed with a key that the keeper of this register knows to be its vendor's."
    : 'Signatures were not checked, because no keys were given.';
  const body = markup`${filterOf('#servers tbody tr', false)}\n${renderTable(COLUMNS, servers.map(cellsOf))}`;
  const rows = refused.map((each) => [{ code: each.package }, each.reasons.join('; ')]);
  const others = tableSection({ id: 'refused', title: 'Packages that are not listed', head: ['Package', 'Why'], rows });
  return shell(
    `Certified servers: ${servers.length}`,
    markup`
      <div class="page wide">
        <header>
          <p class="kicker">Register</p>
          <h1>${plural(servers.length, 'certified server')}</h1>
          <p class="certificate">
            Every package was verified: its verdicts follow from its evidence. ${signatures}
            \n A signature says who vouches for a run, and not that it happened.
          </p>
        </header>\n
        <main id="content">\n
          ${servers.length > 0 && renderSection({ id: 'servers', title: 'Servers', body })}\n
          ${others && renderSection(others)}\n
        </main>
        <footer><p>Machines read <code>register.json</code>. Written by ${suite.name} ${suite.version}.</p></footer>
      </div>`,
  );
}

function cellsOf(server: RegisteredServer): Markup[] {
  const { vendor, product, version, signer, date, suite, profiles, observations, report } = server;
  const seen = (id: string) => observations[id] ?? [];
  const passed = Object.entries(profiles).filter(([, verdict]) => verdict === 'pass');
  return [
    markup`<b>${product}</b> ${vendor ?? 'vendor not declared'}`,
    markup`${version ?? 'not declared'}`,
    signer
      ? markup`${signer.vendor} <code title="SHA-256 of the key: ${signer.keyid}">${signer.keyid.slice(0, 8)}</code>`
      : markup`not checked`,
    markup`<time datetime="${date}">${date}</time> <span class="faint">by suite ${suite}</span>`,
    markup`${passed.map(([profile]) => profile).join(', ')}`,
    markup`${refusalInWords(seen('refusal.status'), seen('retry-after.form'))}`,
    markup`${carriageInWords(seen('headers.carriage')).map((line) => markup`<p>${line}</p>`)}`,
    markup`${seen('reset.rounding').length > 0 && `${valueInWords(seen('reset.rounding'))} s ahead`}`,
    markup`<a href="${report}">Report<span class="sr"> of ${product} ${version}</span></a>`,
  ];
}

/** Such as "429, Retry-After as seconds". A server that delays never refuses. */
function refusalInWords(statuses: unknown[], forms: unknown[]): string {
  if (statuses.length === 0) return 'never: it delays';
  return `${valueInWords(statuses)}${forms.length > 0 ? `, Retry-After as ${valueInWords(forms)}` : ''}`;
}

/** From values such as `X-RateLimit-Limit on accepted`, returns lines such as `accepted: Limit, Reset`. */
function carriageInWords(values: unknown[]): string[] {
  const parts = values.map((value) => String(value).split(' on '));
  return [...groupedBy(parts, ([, kind = '']) => kind)]
    .map(([kind, group]) => `${kind}: ${group.map(([name = '']) => name.replace('X-RateLimit-', '')).join(', ')}`)
    .sort();
}
