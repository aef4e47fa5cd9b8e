/** URLs, and those that the settings document holds (API description, section 2.1). */
import settingsSchema from '#schemas/webhook-settings.schema.json';
import { withoutMarkers } from '../../redaction/markers';

const URL_FORM = new RegExp(settingsSchema.$defs.url.pattern, 'u');

/** Whether a URL's host name is this machine's own. */
export function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|\[::1\]|127(?:\.\d+){3})$/.test(hostname);
}

/** Whether a text is an absolute http or https URL or IRI (RFC 3987) with a host and without white space. */
export function isHttpUrl(text: string): boolean {
  const plain = withoutMarkers(text);
  return URL_FORM.test(plain) && urlOf(plain) !== null;
}

/** Returns the absolute URL that a text is, or `null`. `URL.canParse` of Node 20 and 22 fails at times with umlauts. */
export function urlOf(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
