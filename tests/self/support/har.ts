/** `evidence.har` of some evidence, as text and as JSON. */

import { type Har, harOf, type RunFigures } from '../../../src/evidence/har/write';
import type { Evidence } from '../../../src/evidence/model';

export function harTextOf(evidence: Evidence, figures: RunFigures): string {
  return Buffer.concat(harOf(evidence, figures).parts).toString();
}

export function toHar(evidence: Evidence, figures: RunFigures): Har {
  return JSON.parse(harTextOf(evidence, figures));
}
