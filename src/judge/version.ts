/** The version clauses (API description, section 9). */
import { nameOf } from '../catalogue/catalogue';
import { type Evidence, type Exchange, exchangesOf, ofTheApi, whyNotSent } from '../evidence/model';
import { disclosesSettings, isRefused, statusOf } from '../evidence/responder/classify';
import { each, type Finding, flawIn, judged, notTested, notTestedWhen, type Rules } from './finding';
import { settingsServedBy } from './leaks';

export const versionRules: Rules = {
  'version.base': {
    needs: [],
    judge(evidence) {
      const { baseURL } = evidence.target;
      const segment = lastSegment(baseURL);
      const got = segment === '' ? 'no version at all' : `"${segment}" as the last segment`;
      const flaw = flawIn('address', baseURL, got, '"v2" as the last segment');
      return judged([], segment === 'v2' ? [] : [{ ...flaw, exchanges: [] }]);
    },
  },

  'version.unknown': { needs: ['version'], judge: servesNothingBelow('v0', 'v999') },

  'version.unversioned': { needs: ['version'], judge: servesNothingBelow('unversioned') },
};

function lastSegment(baseURL: string): string {
  return new URL(baseURL).pathname.split('/').filter(Boolean).at(-1) ?? '';
}

function servesNothingBelow(...versions: string[]) {
  return (evidence: Evidence): Finding => {
    if (lastSegment(evidence.target.baseURL) !== 'v2')
      return notTested('The base URL has no segment v2 to replace (version.base).');
    const sent = exchangesOf(evidence, 'version').filter((exchange) => versions.includes(exchange.probe.form));
    // Where refusals hold the settings, rate.refusal says so: such an answer is the limiter's, not another version's.
    const doRefusalsTell = ofTheApi(evidence).some((each) => isRefused(each, evidence) && disclosesSettings(each));
    const servedBy = (exchange: Exchange) =>
      doRefusalsTell && isRefused(exchange, evidence) ? null : settingsServedBy(exchange, evidence);
    // A refusal or a 503 tested nothing.
    const probes = sent.filter(
      (exchange) => servedBy(exchange) || (!isRefused(exchange, evidence) && statusOf(exchange) !== 503),
    );
    const seen = new Set(probes.map(({ probe }) => nameOf(probe)));
    const isHidden = sent.some(({ probe }) => !seen.has(nameOf(probe)));
    const finding = each(probes, whyNotSent(evidence, 'version', HIDDEN), (exchange) => {
      const what = servedBy(exchange);
      const from = `from ${new URL(exchange.request.url).pathname}`;
      return what ? flawIn('request', from, `${statusOf(exchange)} with ${what}`, 'no settings') : null;
    });
    return notTestedWhen(finding, isHidden ? HIDDEN : null, []);
  };
}

const HIDDEN =
  'a request for another version got nothing but a refusal or 503, so whether the settings are served there was not seen';
