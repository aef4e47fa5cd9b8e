/** The names under which a test hands over to the reporter what it needs, decided and recorded. */

/** An annotation for each group of probes that the test needs sent. */
export const NEEDS = 'needs';
/** The annotation that carries its verdict. */
export const VERDICT = 'verdict';
/** The attachment that carries what was recorded to where the reports of many machines are merged. */
export const RECORDED = 'recorded';
