/** The types of what a run leaves: `conformance.json`, and what `evidence.har` says of the server that was judged. */
export type * from './conformance.js';
export type * from './evidence.js';
