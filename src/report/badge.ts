/** badge.svg: verdict and counts for a README, drawn with whatever font the reader has. */

import type { Conformance, RunVerdict } from '../contract/result';
import { markup } from './page/markup';
import { countVerdicts, RUN_VERDICT } from './words';

const SUBJECT = 'API conformance';
/** Each dark enough for white text. */
export const BADGE_COLOUR: Record<RunVerdict | 'subject', string> = {
  conformant: '#1a7040',
  'non-conformant': '#b3261e',
  incomplete: '#8a5800',
  error: '#5a6270',
  subject: '#3c434c',
};
const CHARACTER = 6.25;
const PADDING = 7;

/** The badge of one run, as SVG. */
export function renderBadge(conformance: Conformance): string {
  const { pass, fail, 'not-tested': untested } = countVerdicts(conformance.clauses);
  const verdict = RUN_VERDICT[conformance.verdict].word.toLowerCase();
  const counts: Record<RunVerdict, string[]> = {
    conformant: [`${pass} passed`],
    'non-conformant': [`${fail} failed`, `${pass} passed`],
    incomplete: [`${pass} passed`, `${untested} not tested`],
    error: [],
  };
  const value = [verdict, ...counts[conformance.verdict]].join(' · ');
  const widthOf = (text: string) => Math.round(text.length * CHARACTER);
  const left = widthOf(SUBJECT) + 2 * PADDING;
  const right = widthOf(value) + 2 * PADDING;
  const label = (text: string, x: number) => markup`<text x="${x}" y="14" textLength="${widthOf(text)}">${text}</text>`;
  return markup`<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-labelledby="title"><title id="title">${SUBJECT}: ${value}</title><clipPath id="round"><rect width="${left + right}" height="20" rx="3"/></clipPath><g clip-path="url(#round)"><rect width="${left}" height="20" fill="${BADGE_COLOUR.subject}"/><rect x="${left}" width="${right}" height="20" fill="${BADGE_COLOUR[conformance.verdict]}"/></g><g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">${label(SUBJECT, PADDING)}${label(value, left + PADDING)}</g></svg>
`.source;
}
