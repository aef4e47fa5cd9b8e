/** Finds out from the environment how to reach a server: with which certificates and through which proxy. */
import { urlOf } from '../../common/parsed-url';
import { MOST_BYTES, textIn } from '../../common/plain-file';
import { UsageError } from '../../common/usage-error';

/** What the user says about the way to the server. */
export interface Reach {
  insecureTls: boolean;
  /** Environment variables: NODE_EXTRA_CA_CERTS, HTTP_PROXY, HTTPS_PROXY and NO_PROXY are read. */
  environment: Record<string, string | undefined>;
}

export type Route = ReturnType<typeof routeTo>;

/** Returns how to reach a host. @param direct without a proxy @throws UsageError if a file or proxy is unusable */
export function routeTo(to: URL, direct: boolean, { insecureTls, environment }: Reach) {
  return { insecureTls, trusted: trustedIn(environment), proxy: direct ? null : proxyFor(to, environment) };
}

/** Returns the PEM certificates to trust, Node's own included; none if only Node's own are to be trusted. */
function trustedIn(environment: Reach['environment']): string[] {
  const file = environment.NODE_EXTRA_CA_CERTS;
  if (!file) return [];
  const own = textIn(file, MOST_BYTES.certificates, { named: 'NODE_EXTRA_CA_CERTS: ' });
  return [...require('node:tls').rootCertificates, own];
}

/** Returns the proxy for a URL's scheme and what `NO_PROXY` exempts; `null` for a direct connection. */
function proxyFor({ protocol }: URL, environment: Reach['environment']): { url: string; exempt: string } | null {
  const named = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  const proxyIn = (name: string) => {
    const address = named(name);
    // The message must not repeat the value: it may hold a password.
    if (address && !/^https?:$/.test(urlOf(address)?.protocol ?? ''))
      throw new UsageError(
        `${name} is not the URL of a proxy; right would be, for example, http://proxy.example:3128.`,
      );
    return address;
  };
  const http = proxyIn('HTTP_PROXY');
  const https = proxyIn('HTTPS_PROXY');
  const url = protocol === 'https:' ? https : http;
  return url ? { url, exempt: named('NO_PROXY') ?? '' } : null;
}
