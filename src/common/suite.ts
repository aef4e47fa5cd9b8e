import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { name, version } from '#package';

/** Name and version of this suite, as results and the `User-Agent` header state them. */
export const suite = { name, version };

/** What starts Playwright with this suite: the package's own command says so, otherwise Playwright's. */
export const command = process.env.CONFORMANCE_COMMAND ?? 'npx playwright test';

/** The root of this package, which holds `schemas`. Node is asked, because built code stands deeper than its source. */
export const root = dirname(createRequire(`${__dirname}/`).resolve('#package'));
