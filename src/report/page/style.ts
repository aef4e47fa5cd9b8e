/** No verdict and no outcome is told by colour alone: each has a sign and a word as well. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fff; --sunk: #f6f7f8; --ink: #1b1f24; --soft: #57606a; --line: #d8dde3; --link: #0b57a4;
  --good: #17693a; --bad: #b3201a; --bad-wash: #fdf1f0; --warn: #855300; --warn-wash: #fdf6e7;
  --waived: #6b3fa0; --waived-wash: #f7f3fc; --keyless: #2d6a8f; --pill: #ede4f8; --pill-ink: #4f2a83;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --sunk: #1c2026; --ink: #e3e7ec; --soft: #9ba5b1; --line: #333a43; --link: #7db7f2;
    --good: #63c08a; --bad: #ff8a80; --bad-wash: #2c1a1b; --warn: #e5b25d; --warn-wash: #2a2318;
    --waived: #c4a3f0; --waived-wash: #231d2e; --keyless: #7fbfe3; --pill: #3a2c52; --pill-ink: #dcc8fa;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: .94rem/1.5 var(--sans); overflow-wrap: anywhere; }
.page { max-width: 70rem; margin: 0 auto; padding: 2.5rem 1.5rem 3rem; }
h1, h2, h3, p, ul, dl, dd, figure { margin: 0; }
ul { padding: 0; list-style: none; }
a { color: var(--link); text-underline-offset: .15em; text-decoration-thickness: 1px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
code, pre { font-family: var(--mono); font-size: .87em; }
pre { margin: 0; white-space: pre-wrap; }
table { border-collapse: collapse; }
th { text-align: left; }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -100vw; background: var(--paper); padding: .5rem 1rem; }
.skip:focus { left: 1rem; top: 1rem; z-index: 2; }
.faint, .meta, .also, .figures .none dd, .exchange .name, .is-not-tested :is(.statement, .reason) { color: var(--soft); }
.on-paper { display: none; }
.symbols { position: absolute; }

.kicker { color: var(--soft); font-size: .87rem; }
h1 { font-size: 1.9rem; line-height: 1.2; font-weight: 650; letter-spacing: -.012em; }
.target { margin-top: .35rem; color: var(--soft); display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; }
.target code { color: var(--ink); align-self: center; }
.verdict {
  margin: 1.5rem 0 1.25rem; padding: .9rem 1.1rem; border: 1px solid var(--line);
  border-left: 5px solid var(--tone); border-radius: 4px; background: var(--wash);
}
.verdict p { white-space: pre-line; }
.verdict strong { font-size: 1.2rem; margin-right: .4rem; }
.certificate { color: var(--soft); margin-top: .15rem; }
.page.wide { max-width: 84rem; }
.run-conformant { --tone: var(--good); --wash: var(--sunk); }
.run-non-conformant { --tone: var(--bad); --wash: var(--bad-wash); }
.run-incomplete, .run-error { --tone: var(--warn); --wash: var(--warn-wash); }
[class*="run-"] strong { color: var(--tone); }
.figures { display: flex; flex-wrap: wrap; gap: .6rem 2rem; }
h1 + .figures { margin-top: 1.1rem; }
.figures div { display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.figures dd { font-size: 1.45rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.figures dt { color: var(--soft); font-size: .87rem; }
.figures .first { padding-left: 2rem; border-left: 1px solid var(--line); }
.notes { margin-top: 1rem; color: var(--soft); }
.notes li::before { content: "– "; }
nav {
  display: flex; flex-wrap: wrap; gap: .25rem 1.4rem; margin-top: 1.75rem; padding: .55rem 0;
  border-block: 1px solid var(--line);
}
section { margin-top: 2.75rem; }
h2 { font-size: 1.3rem; line-height: 1.3; font-weight: 650; margin-bottom: .6rem; }
h3 { font-size: 1rem; font-weight: 650; margin: 1.6rem 0 .4rem; }
.label { font-size: .8rem; font-weight: 600; color: var(--soft); margin-bottom: .25rem; }
h3 .count { font-weight: 400; color: var(--soft); margin-left: .4rem; font-size: .93rem; }
section > p { max-width: 46rem; margin-bottom: .75rem; }
section > ul:not([class]), .verdict ul { list-style: disc; padding-left: 1.2rem; max-width: 46rem; }
.verdict ul { max-width: none; } .verdict li { margin-top: .3rem; }

.v-pass { color: var(--good); }
.v-fail { color: var(--bad); }
.v-warn { color: var(--warn); }
.v-waived { color: var(--waived); }
.v-not-tested { color: var(--soft); }
.mark { white-space: nowrap; font-weight: 600; font-size: .93em; }
.mark.v-pass, .mark.v-not-tested { font-weight: 400; }
a.id, code.id { font-family: var(--mono); font-size: .82rem; }
code.id { color: var(--soft); }
.clause code.id { white-space: nowrap; }
.how { padding: 0 .5rem .8rem 1.4rem; }
:is(.how, .exchange) pre { background: var(--sunk); border: 1px solid var(--line); border-radius: 4px; padding: .5rem .7rem; }
.how > :is(p, .label) { margin-top: .7rem; }
.source { color: var(--soft); padding: 0 .5rem .3rem 1.4rem; }
button, input { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 4px; }
button { padding: .1rem .7rem; margin: .25rem 0 .4rem; cursor: pointer; font-size: .87rem; }
.filter { display: flex; flex-wrap: wrap; gap: .4rem 1.6rem; align-items: center; }
.filter [type="search"] { padding: .15rem .5rem; width: 15rem; } .filter output { color: var(--soft); }
[hidden] { display: none !important; }
mark { background: var(--bad-wash); color: var(--bad); font-weight: 600; }
.glossary { margin-top: .8rem; color: var(--soft); } :is(.glossary, .aside) > summary { padding-left: 1rem; width: fit-content; }
:is(.glossary, .aside) > summary::before { left: .1rem; top: .75em; }
.aside { margin-top: 1.6rem; }
.glossary dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.2rem; margin-top: .5rem; max-width: 60rem; }
.glossary dt { color: var(--ink); }
.back { margin-bottom: .6rem; }
.strip { font: 600 .95rem/1.5 var(--mono); display: flex; flex-wrap: wrap; gap: 2px; } .strip .v-none { color: var(--soft); }
.strip > span { width: 1.25rem; text-align: center; background: var(--sunk); border-radius: 3px; }
.strip > .v-fail { background: var(--bad-wash); } .strip > .v-waived { background: var(--waived-wash); }

.clauses, .evidence { border-top: 1px solid var(--line); }
.clause, .fix, .x { border-bottom: 1px solid var(--line); }
div.clause, :is(.clause, .fix) > summary {
  display: grid; grid-template-columns: 6.6rem 1fr 13rem; gap: 0 1rem; padding: .5rem .5rem .5rem 1.4rem;
  align-items: baseline;
}
.fix > summary { grid-template-columns: 14.5rem 1fr; } .fix .also { grid-column: 2; }
summary { cursor: pointer; position: relative; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::before {
  content: ""; position: absolute; left: .35rem; top: 1.2em; width: .42em; height: .42em; border: solid var(--soft);
  border-width: 0 1.5px 1.5px 0; transform: translateY(-50%) rotate(-45deg);
}
details[open] > summary::before { transform: translateY(-65%) rotate(45deg); }
:is(.clause, .fix, .x) > summary:hover { background: var(--sunk); }
.clause:target { background: var(--sunk); }
.is-fail { background: var(--bad-wash); }
.is-warn { background: var(--warn-wash); }
.is-waived { background: var(--waived-wash); }
.shared { color: var(--soft); margin-bottom: .5rem; }
.reason { display: block; margin-top: .2rem; white-space: pre-line; }
.standing { color: var(--soft); font-size: .87rem; display: flex; flex-wrap: wrap; gap: 0 .6rem; }
.standing b { font-size: .8rem; letter-spacing: .02em; color: var(--ink); font-weight: 600; }
.standing b.should { font-weight: 400; color: var(--soft); }
.refs { padding: .2rem .5rem .8rem 1.4rem; }
.refs li + li { margin-top: .1rem; }
.refs.filled {
  margin: 0 0 .8rem 1.4rem; padding: 0; border: 1px solid var(--line); border-radius: 4px; background: var(--paper);
}
.more { margin: -.3rem 0 .8rem 1.4rem; color: var(--soft); }

.rows { width: 100%; }
.rows :is(th, td) { padding: .4rem 1rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: baseline; }
.rows a.id { white-space: nowrap; } .rows td { min-width: 5.5rem; }
.rows thead th { color: var(--soft); font-size: .87rem; font-weight: 400; }
.rows tbody th { font-weight: 400; min-width: 15rem; }
.rows td code { background: var(--sunk); border-radius: 3px; padding: .1em .3em; }
.rows td:has(> p) { min-width: 15rem; } time { white-space: nowrap; }
.rows td > a { display: inline-block; margin-right: .6rem; vertical-align: top; }

.scroll { overflow-x: auto; position: relative; }
.sideways { display: none; color: var(--soft); font-size: .87rem; }
.headline { grid-column: 1 / -1; font-weight: 650; font-size: 1.05rem; }
.folded { margin: .3rem 0; } .folded > summary { color: var(--soft); padding: .3rem .5rem .3rem 1.4rem; width: fit-content; }
.folded > summary::before { top: 1em; }
.timeline figcaption p { max-width: 50rem; }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1.4rem; margin: .6rem 0; color: var(--soft); font-size: .87rem; }
.legend b { color: var(--ink); font-weight: 600; }
svg.m { width: .8em; height: .8em; vertical-align: -.02em; overflow: visible; }
.accepted { --tone: var(--good); }
.refused { --tone: var(--warn); }
.rejected { --tone: var(--keyless); }
.admitted, .fault, .over { --tone: var(--bad); }
.m.delivery { --tone: var(--waived); }
.answer, .fault b { color: var(--tone); }
.m use { fill: var(--paper); stroke: var(--tone, var(--ink)); stroke-width: 1.2; }
.m:is(.accepted, .over, .refused, .admitted) use { fill: var(--tone); }
.m.fault use { fill: none; stroke-width: 2.2; }
svg.run { display: block; min-width: 100%; background: var(--sunk); border: 1px solid var(--line); border-radius: 4px; }
svg.run text { font: 12px var(--sans); fill: var(--ink); }
svg.run .tick { fill: var(--soft); font-size: 11px; }
.grid { stroke: var(--line); } .base { stroke: var(--soft); stroke-width: .75; }
[data-entry] { cursor: pointer; }
.tail { stroke: var(--soft); stroke-width: 1.5; opacity: .55; }
.telling { fill: none; stroke: var(--bad); stroke-width: 1.5; }

.refs li + li .x { border-top: 1px solid var(--line); }
.refs .x { border-bottom: 0; }
.x > summary {
  display: grid; grid-template-columns: 1.8rem minmax(0, 1.5fr) minmax(0, 1fr) 7.5rem 4.5rem; gap: 0 .8rem;
  padding: .22rem .5rem .22rem 1.4rem; align-items: baseline;
}
.x > summary::before { top: 1em; }
.x .number, .x .time { color: var(--soft); font-variant-numeric: tabular-nums; text-align: right; }
.x .who { color: var(--soft); margin-left: .5rem; } .x .probe { color: var(--soft); font-size: .87rem; }
.x .answer { white-space: nowrap; }
.exchange { padding: .3rem .5rem 1rem 1.4rem; }
.exchange .body { margin-top: .4rem; }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: .8rem 1rem; margin-top: .6rem; }
.sides > div { min-width: 0; }
pre.curl { user-select: all; }
.meta { font-size: .87rem; margin-bottom: .3rem; }
.pill {
  background: var(--pill); color: var(--pill-ink); border-radius: .7em; padding: .05em .55em; font-family: var(--sans);
  font-size: .92em; box-decoration-break: clone; -webkit-box-decoration-break: clone;
}
.matrix { font-size: .87rem; font-variant-numeric: tabular-nums; }
.matrix :is(th, td) {
  padding: .25rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; text-align: center;
}
.matrix :is(th:first-child, th:first-child + td, th:first-child + th) { text-align: left; padding-left: 0; }
.matrix thead th { vertical-align: bottom; font-weight: 400; color: var(--soft); }
.matrix th:first-child { position: sticky; left: 0; background: var(--paper); }
.matrix tbody th { font-weight: 400; padding-right: 1rem; white-space: normal; min-width: 10rem; max-width: 22rem; }
.matrix .address { display: block; color: var(--soft); font-size: .8rem; }
.matrix .turned span { writing-mode: vertical-rl; transform: rotate(180deg); font: .78rem/1 var(--mono); }
.matrix td a { color: inherit; display: block; font-weight: 600; text-decoration: none; }
footer { margin-top: 3.5rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); }
footer h2 { font-size: 1rem; color: var(--ink); } footer pre { color: var(--ink); margin: .15rem 0 .6rem; }

@media (max-width: 46rem) {
  .page { padding: 1.25rem 1rem 2rem; }
  h1 { font-size: 1.5rem; }
  .figures { display: grid; grid-template-columns: repeat(4, auto); justify-content: start; gap: .6rem .8rem; } .figures .first { padding-left: 0; border-left: 0; }
  .fix > summary { grid-template-columns: minmax(0, 1fr); } .fix .also { grid-column: 1; }
  .glossary dl { grid-template-columns: 1fr; } .glossary dd { margin-bottom: .4rem; }
  .matrix { width: 100%; } .matrix tbody th { min-width: 0; } .matrix :is(th, td) { padding-inline: 0 .4rem; }
  .matrix :is(th, td):nth-child(n + 4) { display: none; }
  div.clause, .clause > summary { grid-template-columns: 1fr auto; } .clause .what { grid-column: 1 / -1; grid-row: 2; }
  .standing { justify-content: end; }
  .sides { grid-template-columns: 1fr; } .sideways { display: block; }
  .x > summary { grid-template-columns: 1.8rem 1fr auto; } .x summary :is(.time, .probe) { display: none; }
  .rows, .rows tbody, .rows :is(tr, th, td) { display: block; border: 0; padding: 0; } .rows thead { display: none; }
  .rows tr { border-bottom: 1px solid var(--line); padding: .4rem 0; } .rows a.id { white-space: normal; }
  .rows td::before { content: attr(data-label) ": "; color: var(--soft); font-size: .87rem; } .rows td:empty { display: none; }
}
@media print {
  @page { margin: 16mm 14mm; }
  .matrix { font-size: .8rem; }
  :root { font-size: 76%; } .page { max-width: none; padding: 0; }
  nav, .skip, .evidence .x:not(.telling), .refs, .filter, .copy, .how, :is(.glossary, .aside):not([open]) { display: none; }
  .on-paper { display: inline; } .shows { display: none; }
  .sideways { display: none; } .folded > summary { display: none; }
  :is(.folded, .x.telling)::details-content { content-visibility: visible; }
  summary::before { display: none; }
  div.clause, :is(.clause, .fix, .x) > summary, .exchange { padding-left: 0; }
  svg.run { width: 100%; min-width: 0; height: auto; } .scroll { overflow: visible; }
  h2, h3, summary, section > p, .label, .meta { break-after: avoid; } .clause, .fix, tr, pre { break-inside: avoid; }
  .exchange .body { break-inside: auto; }
  a { color: inherit; text-decoration: none; }
  * { print-color-adjust: exact; }
}
`;
