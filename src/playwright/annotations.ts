/** The names under which tests and reporter hand things to each other, by way of Playwright. */

/** The attachment that carries what was recorded to where the reports of many machines are merged. */
export const RECORDED = 'recorded';
/** The annotation of a test that is a clause's; its description is the id. */
export const CLAUSE = 'clause';
/** The annotation that says which entries of `evidence.har` a test is about. */
export const EVIDENCE = 'evidence';
/** Set for the workers: the levels of all clauses by id, as JSON. A worker need not read the whole contract. */
export const LEVELS_VARIABLE = 'CONFORMANCE_LEVELS';
/** Set for the workers where no trace was asked for and no UI mode or editor looks on: both cost a worker time. */
export const SPARING_VARIABLE = 'CONFORMANCE_SPARING';
/** Set for the workers where one serves many targets. */
export const SHARED_VARIABLE = 'CONFORMANCE_SHARED';
