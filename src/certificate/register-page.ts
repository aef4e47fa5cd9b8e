/** The register as a page. */
import { type Markup, markup, prose } from '../report/markup';
import { shell } from '../report/page/shell';
import { STYLE } from '../report/page/style';
import { plural, valueInWords } from '../report/words';
import type { RefusedPackage, Register, RegisteredServer } from './register-shape';

const REGISTER_STYLE = `${STYLE}
.filter { margin: 1rem 0; display: flex; flex-wrap: wrap; gap: .4rem .8rem; align-items: center; }
.filter[hidden] { display: none; }
.filter input {
  font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--soft); border-radius: 4px;
  padding: .35rem .6rem; width: 20rem; max-width: 100%;
}
.filter output { color: var(--soft); }
.register { width: 100%; table-layout: fixed; }
.register thead :nth-child(1) { width: 22%; }
.register thead :is(:nth-child(2), :nth-child(3)) { width: 10%; }
.register thead :nth-child(4) { width: 8%; }
.register thead :nth-child(5) { width: 14%; }
.register thead :nth-child(6) { width: 22%; }
.register :is(th, td) { padding: .55rem 1rem .55rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.register thead th { color: var(--soft); font-size: .87rem; font-weight: 400; }
.register tbody th { font-weight: 400; }
.register tbody th b { font-weight: 650; display: block; }
.register td span { display: block; }
.register .day { white-space: nowrap; }
.register tr[hidden] { display: none; }
.register .label { display: none; }
@media (max-width: 46rem) {
  .register, .register tbody, .register :is(tr, th, td) { display: block; }
  .register thead { display: none; }
  .register tr { border-bottom: 1px solid var(--line); padding: .7rem 0; }
  .register :is(th, td) { border: 0; padding: .1rem 0; }
  .register td { display: grid; grid-template-columns: 6.5rem 1fr; gap: 0 .5rem; align-items: baseline; }
  .register td .label { display: block; margin: 0; }
}
@media print { .filter { display: none; } }
`;

/** Shows a field that hides the rows without the words written into it. Without the script all rows are there. */
const FILTER_SCRIPT = `
(() => {
  const field = document.querySelector('.filter');
  if (!field) return;
  const [input, output] = [field.querySelector('input'), field.querySelector('output')];
  const rows = [...document.querySelectorAll('.register tbody tr')];
  const filter = () => {
    const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    output.value = rows.filter((row) => !row.hidden).length + ' of ' + rows.length;
  };
  input.addEventListener('input', filter);
  field.hidden = false;
  filter();
})();
`;

/** The page, as HTML. */
export function renderRegister({ servers, refused, suite, signaturesChecked }: Register): string {
  const signatures = signaturesChecked
    ? 'Each package is signed with a key that the keeper of this register trusts.'
    : 'Signatures were not checked, because no keys were given.';
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
          ${servers.length > 0 && renderServers(servers)}\n
          ${refused.length > 0 && renderRefused(refused)}\n
        </main>
        <footer><p>Machines read <code>register.json</code>. Written by ${suite.name} ${suite.version}.</p></footer>
      </div>`,
    REGISTER_STYLE,
    FILTER_SCRIPT,
  );
}

const COLUMNS = ['Server', 'Version', 'Judged', 'Profiles', 'Refuses with', 'Headers', 'Reset', 'Report'];

function renderServers(servers: RegisteredServer[]): Markup {
  return markup`
    <section aria-labelledby="servers">
      <h2 id="servers">Servers</h2>
      <p class="filter" hidden>
        <label for="filter">Filter</label>\n
        <input id="filter" type="search" autocomplete="off" placeholder="Vendor, product, status">\n
        <output for="filter"></output>
      </p>\n
      <table class="register">
        <thead><tr>${COLUMNS.map((title) => markup`<th scope="col">${title}</th>`)}</tr></thead>\n
        <tbody>${servers.map(renderServer)}</tbody>
      </table>
    </section>`;
}

function renderServer(server: RegisteredServer): Markup {
  const { vendor, product, version, date, suite, profiles, observations, report } = server;
  const seen = (id: string) => observations[id] ?? [];
  const passed = Object.entries(profiles).filter(([, verdict]) => verdict === 'pass');
  const cells: Array<[title: string, content: Markup]> = [
    ['Version', markup`${version ?? 'not declared'}`],
    [
      'Judged',
      markup`<time class="day" datetime="${date}">${date}</time> <span class="faint">by suite ${suite}</span>`,
    ],
    ['Profiles', markup`${passed.map(([profile]) => profile).join(', ')}`],
    ['Refuses with', markup`${refusalInWords(seen('refusal.status'), seen('retry-after.form'))}`],
    ['Headers', markup`${carriageInWords(seen('headers.carriage')).map((line) => markup`<span>${line}</span>`)}`],
    ['Reset', markup`${seen('reset.rounding').length > 0 && `${valueInWords(seen('reset.rounding'))} s ahead`}`],
    ['Report', markup`<a href="${report}">Report<span class="sr"> of ${product} ${version}</span></a>`],
  ];
  return markup`
    <tr>
      <th scope="row"><b>${product}</b> ${vendor ?? 'vendor not declared'}</th>
      ${cells.map(([title, content]) => markup`<td><span class="label" aria-hidden="true">${title}</span><div>${content}</div></td>`)}
    </tr>\n`;
}

/** "429, Retry-After in seconds". A server that delays instead never refuses. */
function refusalInWords(statuses: unknown[], forms: unknown[]): string {
  if (statuses.length === 0) return 'never: it delays';
  return `${valueInWords(statuses)}${forms.length > 0 ? `, Retry-After as ${valueInWords(forms)}` : ''}`;
}

/** Of values such as `X-RateLimit-Limit on accepted`, a line for each kind of response: `accepted: Limit, Reset`. */
function carriageInWords(values: unknown[]): string[] {
  const byKind = new Map<string, string[]>();
  for (const value of values) {
    const [name = '', kind = ''] = String(value).split(' on ');
    byKind.set(kind, [...(byKind.get(kind) ?? []), name.replace('X-RateLimit-', '')]);
  }
  return [...byKind].sort().map(([kind, names]) => `${kind}: ${names.join(', ')}`);
}

function renderRefused(refused: RefusedPackage[]): Markup {
  const items = refused.map(
    ({ package: name, reasons }) =>
      markup`<dt><code>${name}</code></dt><dd>${reasons.map((reason) => markup`<p>${prose(reason)}</p>`)}</dd>`,
  );
  return markup`
    <section aria-labelledby="refused">
      <h2 id="refused">Packages that do not verify</h2>
      <dl class="untested">${items}</dl>
    </section>`;
}
