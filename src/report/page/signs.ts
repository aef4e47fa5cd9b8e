/** The signs and words for what came of an exchange, or of a clause. */
import type { Verdict } from '../../contract/result';
import type { Evidence, Exchange } from '../../evidence/model';
import { type Outcome, outcomeOf } from '../../evidence/responder/classify';
import { VERDICT } from '../format';
import { type Markup, markup } from '../markup';

/** What a mark stands for. */
export type MarkKind = Outcome | 'admitted' | 'delivery';

/** The word, the meaning, and the shape around 0, 0. Kinds differ by shape as well as by colour. */
export const SIGN: Record<MarkKind, { word: string; means: string; shape: string }> = {
  accepted: { word: 'accepted', means: '2xx', shape: 'M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z' },
  refused: { word: 'refused', means: 'valid key, over the rate limit', shape: 'M-4 -3.4h8l-4 7.2z' },
  rejected: { word: 'rejected', means: '4xx without a valid key', shape: 'M0 -4l4 4l-4 4l-4 -4z' },
  admitted: { word: 'let in', means: '2xx without a valid key', shape: 'M-4.2 3.6h8.4l-4.2 -7.8z' },
  fault: { word: 'transport fault', means: 'no complete answer', shape: 'M-3.4 -3.4l6.8 6.8M-3.4 3.4l6.8 -6.8' },
  other: { word: 'other answer', means: 'such as 404 or 500', shape: 'M-3.2 -3.2h6.4v6.4h-6.4z' },
  delivery: {
    word: 'delivered',
    means: 'a notification reached the receiver',
    shape: 'M-4 -2.8h8v5.6h-8zM-4 -2.8l4 3l4 -3',
  },
};

const paths = Object.entries(SIGN).map(([kind, { shape }]) => markup`<path id="m-${kind}" d="${shape}"/>`);

/** The shapes, once for the whole page. */
export const symbols = markup`
  <svg class="symbols" aria-hidden="true" width="0" height="0"><defs>${paths}</defs></svg>`;

/** Returns the sign of an outcome. The page has to hold `symbols`. */
export function symbol(kind: MarkKind): Markup {
  return markup`<svg class="m ${kind}" viewBox="-5 -5 10 10" aria-hidden="true"><use href="#m-${kind}"/></svg>`;
}

export function verdictMark(verdict: Verdict): Markup {
  const { glyph, word } = VERDICT[verdict];
  return markup`<span class="mark v-${verdict}"><span aria-hidden="true">${glyph}</span> ${word}</span>`;
}

/** Returns the outcome that the judges see, or `admitted` for a 2xx without a valid key, unless to a CORS preflight. */
export function markKindOf(exchange: Exchange, evidence: Evidence): Outcome | 'admitted' {
  const outcome = outcomeOf(exchange, evidence);
  const admitted = outcome === 'accepted' && exchange.account === null && exchange.request.method !== 'OPTIONS';
  return admitted ? 'admitted' : outcome;
}

/** Returns the status, or what went wrong below HTTP, or both. */
export function answerOf(x: Exchange): string {
  const status = x.response ? `${x.response.status}` : '';
  return x.fault ? `${status} ${x.fault.kind}`.trim() : status;
}
