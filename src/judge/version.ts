/** The version clauses (API description, section 9). */

import type { Evidence } from '../evidence/exchange';
import { exchangesOf, whyNotSent } from '../evidence/groups';
import { disclosesSettings, isAccepted, isRefused, statusOf } from '../evidence/outcome';
import { each, type Finding, notTested } from './finding';

function lastSegment(baseURL: string): string {
  return new URL(baseURL).pathname.split('/').filter(Boolean).at(-1) ?? '';
}

/** Judges version.base. */
export function baseNamesVersion2(evidence: Evidence): Finding {
  const { baseURL } = evidence.target;
  const segment = lastSegment(baseURL);
  const came = segment === '' ? 'no version at all' : `"${segment}" as the last segment of ${baseURL}`;
  return { breaches: segment === 'v2' ? [] : [{ exchanges: [], came }], evidence: [], notTested: null };
}

/** Judges that the settings are not served below other versions. */
function servesNothingBelow(...versions: string[]) {
  return (evidence: Evidence): Finding => {
    if (lastSegment(evidence.target.baseURL) !== 'v2')
      return notTested('The base URL has no segment v2 to replace (version.base).');
    const probes = exchangesOf(evidence, 'version').filter(
      (one) => versions.includes(one.probe.form) && !isRefused(one, evidence),
    );
    return each(
      probes,
      whyNotSent(evidence, 'version', 'every such request was refused because of the rate limit'),
      (one) =>
        isAccepted(one) && disclosesSettings(one)
          ? `${statusOf(one)} with the settings from ${new URL(one.request.url).pathname}`
          : null,
    );
  };
}

/** Judges version.unknown. */
export const unknownVersionsServeNothing = servesNothingBelow('v0', 'v999');
/** Judges version.unversioned. */
export const unversionedServesNothing = servesNothingBelow('unversioned');
