/** The attachment that carries what was recorded to where the reports of many machines are merged. */
export const RECORDED = 'recorded';
