/** Names by which tests, workers and reporter hand things to each other through Playwright. */

/** The annotation of a clause's test. Its description is the clause id. */
export const CLAUSE = 'clause';
/** The annotation for the entries of `evidence.har` that a test is about. */
export const EVIDENCE = 'evidence';
/** The annotation for what the run itself found wrong with the requests of an own test. */
export const PROBLEM = 'problem';
/** Set for the workers: the levels of all clauses by id, as JSON, so that a worker need not read the whole contract. */
export const LEVELS_VARIABLE = 'CONFORMANCE_LEVELS';
/** Set for the workers if no trace is asked for and no UI mode or editor watches. Both would cost a worker time. */
export const SPARING_VARIABLE = 'CONFORMANCE_SPARING';
/** Set for the workers if one worker serves many targets. */
export const SHARED_VARIABLE = 'CONFORMANCE_SHARED';
