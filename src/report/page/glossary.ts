/** The words of the page, for who reads it first. */
import { type Markup, markup } from '../markup';

const WORDS: ReadonlyArray<readonly [word: string, meaning: string]> = [
  [
    'Clause',
    'one sentence of the contract, with an id such as settings.json. A MUST fails the run, a SHOULD only warns.',
  ],
  [
    'Exchange',
    'one request and what came of it. All of them together are the evidence, each with a number: its entry.',
  ],
  ['Probe', 'what a request was sent for.'],
  ['Accepted', 'a 2xx came.'],
  ['Rejected', 'a 4xx came to a request without a valid key.'],
  ['Refused', 'a request with a valid key was over the rate limit, and did not get a 2xx.'],
  ['Window', 'the seconds for which the rate limit counts.'],
  ['Waived', 'broken, and declared as known until a day.'],
  ['Not tested', 'something has to be declared or switched on first; the reason says what.'],
  ['Inapplicable', 'what the clause speaks of was provoked, and never happened.'],
];

export function glossary(): Markup {
  const items = WORDS.map(([word, meaning]) => markup`<dt>${word}</dt><dd>${meaning}</dd>`);
  return markup`<details class="glossary"><summary>Words of this page</summary><dl>${items}</dl></details>`;
}
