/** What is mutated, and which tests are tried on it: those that are fast and need nothing but Node. */
const JUDGES = [
  ...['judges-auth', 'judges-settings', 'judges-rate', 'judges-event', 'judges-run'],
  ...['mutation-judges', 'harm', 'declarations'],
];

export const AREAS: Readonly<Record<string, readonly string[]>> = {
  'src/judge': JUDGES,
  'src/evidence': [
    ...JUDGES,
    ...['books', 'looks', 'headers', 'windows', 'json', 'escapes', 'har'],
    ...['outcome', 'veil', 'service', 'turns', 'notifications'],
  ],
  'src/recorder': [
    'pacing',
    'masking',
    'answer',
    'receiver',
    'mutation-recorder',
    'recorder',
    'hostile-secrets',
    'vault',
  ],
};

/** Folders of which the evidence of whole runs tells something: what is said of it is worked out by their code alone. */
export const JUDGING: readonly string[] = ['src/judge', 'src/evidence'];
