/** Set where workers leave out what judging does not need: with many targets, and no trace asked for. */
export const SPARING = 'CONFORMANCE_SPARING';
