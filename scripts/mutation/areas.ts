/** What is mutated, and which tests are tried on it: those that are fast and need nothing but Node. */
const JUDGES = ['auth', 'settings', 'rate', 'event', 'verdict', 'edges', 'severity'].map((name) => `judge/${name}`);
const RATE_LIMIT = ['considered', 'remaining', 'trials'].map((name) => `rate-limit/${name}`);
const EVIDENCE = [
  ...['http/headers', 'http/json', 'http/escapes', 'har', 'time/gaps', 'deliveries'],
  ...['responder/classify', 'responder/auth-guard', 'responder/foretold', 'responder/outages', 'responder/queueing'],
].map((name) => `evidence/${name}`);

export const AREAS: Readonly<Record<string, readonly string[]>> = {
  'src/judge': JUDGES,
  'src/evidence': [...JUDGES, ...RATE_LIMIT, ...EVIDENCE],
  'src/rate-limit': [...JUDGES, ...RATE_LIMIT],
  'src/recorder': [
    ...['pace', 'transport/answer', 'receiver', 'edges', 'recorder'],
    ...['redaction/encodings', 'redaction/masking', 'redaction/vault'],
  ].map((name) => `recorder/${name}`),
};

/** Folders of which the evidence of whole runs tells something: what is said of it is worked out by their code alone. */
export const JUDGING: readonly string[] = ['src/judge', 'src/evidence', 'src/rate-limit'];
