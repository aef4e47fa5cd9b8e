/** `evidence.har` of some evidence, as text and as JSON. */

import { type Har, harParts, type RunFigures } from '../../../src/evidence/har/write';
import type { Evidence } from '../../../src/evidence/model';

export function harTextOf(evidence: Evidence, figures: RunFigures): string {
  return Buffer.concat(harParts(evidence, figures)).toString();
}

export function toHar(evidence: Evidence, figures: RunFigures): Har {
  return JSON.parse(harTextOf(evidence, figures));
}
