/** The version clauses (API description, section 9). */

import type { Evidence } from '../evidence/model';
import { disclosesSettings, isAccepted, isRefused, statusOf } from '../evidence/responder/classify';
import { exchangesOf, whyNotSent } from '../evidence/select';
import { each, type Finding, judged, notTested, type Rules, requestFlaw, unlessUnseen } from './finding';

export const versionRules: Rules = {
  'version.base': {
    needs: [],
    judge(evidence) {
      const { baseURL } = evidence.target;
      const segment = lastSegment(baseURL);
      const got = segment === '' ? 'no version at all' : `"${segment}" as the last segment`;
      const flaw = { subject: { kind: 'address', name: baseURL } as const, expected: '"v2" as the last segment', got };
      return judged([], segment === 'v2' ? [] : [{ ...flaw, exchanges: [] }]);
    },
  },

  'version.unknown': { needs: ['version'], judge: servesNothingBelow('v0', 'v999'), ofBodies: 'accepted' },

  'version.unversioned': { needs: ['version'], judge: servesNothingBelow('unversioned'), ofBodies: 'accepted' },
};

function lastSegment(baseURL: string): string {
  return new URL(baseURL).pathname.split('/').filter(Boolean).at(-1) ?? '';
}

/** Judges that a path with another version, or without one, does not serve the settings. */
function servesNothingBelow(...versions: string[]) {
  return (evidence: Evidence): Finding => {
    if (lastSegment(evidence.target.baseURL) !== 'v2')
      return notTested('The base URL has no segment v2 to replace (version.base).');
    const sent = exchangesOf(evidence, 'version').filter((exchange) => versions.includes(exchange.probe.form));
    // A request that got only a refusal or a short outage tested nothing.
    const probes = sent.filter((exchange) => !isRefused(exchange, evidence) && statusOf(exchange) !== 503);
    const seen = probes.map(({ probe }) => probe.form);
    const isHidden = sent.some(({ probe }) => !seen.includes(probe.form));
    const finding = each(probes, whyNotSent(evidence, 'version', HIDDEN), (exchange) =>
      isAccepted(exchange) && disclosesSettings(exchange)
        ? requestFlaw(
            `from ${new URL(exchange.request.url).pathname}`,
            `${statusOf(exchange)} with the settings`,
            'no settings',
          )
        : null,
    );
    return unlessUnseen(finding, isHidden ? HIDDEN : null, []);
  };
}

const HIDDEN =
  'a request for another version got nothing but a refusal or 503, so whether the settings are served there was not seen';
