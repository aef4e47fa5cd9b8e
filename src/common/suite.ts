import { name, version } from '../../package.json';

/** Name and version of this suite, as results and the `User-Agent` header state them. */
export const suite = { name, version };
