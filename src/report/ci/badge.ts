/** badge.svg: the verdict for a README, in whatever font the reader has. */
import type { Conformance, RunVerdict } from '../../contract/result';
import { markup } from '../markup';
import { OUTCOME } from '../words';

const SUBJECT = 'API conformance';
/** Each is dark enough for white text. */
export const BADGE_COLOUR: Record<RunVerdict | 'subject', string> = {
  conformant: '#1a7040',
  'non-conformant': '#b3261e',
  incomplete: '#8a5800',
  error: '#5a6270',
  subject: '#3c434c',
};
/** Width of an average character, in pixels: the reader's font is stretched to it. */
const CHARACTER = 6.25;
const PADDING = 7;

export function renderBadge({ verdict }: Conformance): string {
  const value = OUTCOME[verdict].word.toLowerCase();
  const left = widthOf(SUBJECT) + 2 * PADDING;
  const right = widthOf(value) + 2 * PADDING;
  const label = (text: string, x: number) => markup`<text x="${x}" y="14" textLength="${widthOf(text)}">${text}</text>`;
  return markup`
    <svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-labelledby="title">
      <title id="title">${SUBJECT}: ${value}</title>
      <clipPath id="round"><rect width="${left + right}" height="20" rx="3"/></clipPath>
      <g clip-path="url(#round)">
        <rect width="${left}" height="20" fill="${BADGE_COLOUR.subject}"/>
        <rect x="${left}" width="${right}" height="20" fill="${BADGE_COLOUR[verdict]}"/>
      </g>
      <g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">
        ${label(SUBJECT, PADDING)}${label(value, left + PADDING)}
      </g>
    </svg>\n`.source;
}

function widthOf(text: string): number {
  return Math.round(text.length * CHARACTER);
}
