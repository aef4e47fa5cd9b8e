/** Settings documents, conformant and not, by the published schema and by the judges of the clauses. */
import { isUtf8 } from 'node:buffer';
import { expect, test } from '@playwright/test';
import type { ErrorObject } from 'ajv/dist/2020';
import settingsSchema from '#schemas/webhook-settings.schema.json';
import { brokenTexts, settingsDocuments } from '../../../fixtures/settings';
import { allRules } from '../../../scripts/matrix/in-process';
import { clauseTexts } from '../../../src/contract/clauses';
import { isHttpUrl } from '../../../src/contract/settings';
import { evidenceOf } from '../support/evidence-of';
import { newAjv, placeOf } from '../support/schemas';

/** Places in a settings document, and the clause that an error of the schema there says is broken. */
const CLAUSE_OF_PLACE: ReadonlyArray<readonly [place: RegExp, clause: string]> = [
  [/^(?:\/(?!webhook\/)[^/]*)?$/, 'settings.envelope'],
  [/^\/webhook\/(?:start|submission|updates)$/, 'settings.kinds'],
  [/^\/webhook\/(?:start|submission|updates)\/status$/, 'settings.kind-status'],
  [/^\/webhook\/(?:start|submission|updates)\/url$/, 'settings.kind-url'],
  [/^\/webhook\/auth(?:\/status)?$/, 'settings.auth-status'],
  [/^\/webhook\/auth\/type$/, 'settings.auth-type'],
  [/^\/webhook\/auth\/basic$/, 'settings.basic'],
  [/^\/webhook\/auth\/basic\/username$/, 'settings.username'],
  [/^\/webhook\/auth\/basic\/password$/, 'settings.password-null'],
  [/^\/webhook\/auth\/basic\/hasPassword$/, 'settings.has-password-type'],
  [/^\/webhook\/auth\/apikey$/, 'settings.apikey'],
  [/^\/webhook\/auth\/apikey\/(?:header|apikey)$/, 'settings.apikey-unused'],
];

const idsIn = (breaks: readonly string[]) => breaks.map((clause) => `settings.${clause}`).sort();
const expectedOf = (documents: typeof settingsDocuments) =>
  documents.map(({ name, breaks }) => [name, ...idsIn(breaks)]);

test('the schema refuses a document for the clauses that it breaks, with formats and without', () => {
  for (const validateFormats of [true, false]) {
    const validate = newAjv({ allowUnionTypes: true, validateFormats }).compile(settingsSchema);
    const found = settingsDocuments.map(({ name, body }) => {
      validate(JSON.parse(body.toString()));
      return [name, ...[...brokenClauses(validate.errors ?? [])].sort()];
    });
    expect(found).toEqual(expectedOf(settingsDocuments));
  }
});

test('the judges find broken what each document breaks, and nothing else', () => {
  const musts = new Set(clauseTexts.filter(({ level }) => level === 'must').map(({ id }) => id));
  const judges = allRules.filter(({ id }) => id.startsWith('settings.') && musts.has(id));
  expect(judges.length).toBeGreaterThan(0);
  const documents = [...settingsDocuments, ...brokenTexts];
  const found = documents.map(({ name, body }) => {
    const bodyEncoding = isUtf8(body) ? 'utf8' : 'base64';
    const headers = [['Content-Type', 'application/json']] as const;
    const evidence = evidenceOf([{ headers, body: body.toString(bodyEncoding), bodyEncoding }]);
    const broken = judges.filter(({ judge }) => judge(evidence).breaches.length > 0).map(({ id }) => id);
    return [name, ...broken.sort()];
  });
  expect(found).toEqual(expectedOf(documents));
});

test('every clause that the schema expresses is broken by a document, and no other is named', () => {
  const expressed = [...CLAUSE_OF_PLACE.map(([, id]) => id), 'settings.json', 'settings.password-absent'];
  const broken = [...settingsDocuments, ...brokenTexts].flatMap(({ breaks }) => idsIn(breaks));
  expect(new Set(broken)).toEqual(new Set(expressed));
});

/** The clauses whose words the errors of the settings schema say are broken. */
function brokenClauses(errors: ErrorObject[]): Set<string> {
  return new Set(
    errors
      .filter(({ keyword }) => keyword !== 'if')
      .flatMap((error) => {
        const place = placeOf(error);
        const described = CLAUSE_OF_PLACE.find(([pattern]) => pattern.test(place))?.[1];
        if (error.keyword === 'not') return described === undefined ? ['settings.password-absent'] : [];
        if (error.keyword !== 'required') return [described ?? `none: ${place}`];
        // An absent member breaks the clause that asks for its presence.
        if (place === '/webhook/auth/basic/password') return ['settings.basic', 'settings.password-null'];
        if (/^\/webhook\/auth\/basic\/./.test(place)) return ['settings.basic'];
        if (/^\/webhook\/auth\/apikey\/./.test(place)) return ['settings.apikey'];
        return [described ?? `none: ${place}`];
      }),
  );
}

test('an address in another script is one however often it is looked at', () => {
  // Node 20 and 22 change their mind once URL.canParse is compiled, after some thousand calls.
  const looks = Array.from({ length: 20_000 }, () => isHttpUrl('https://müller.example/häken'));
  expect(looks.indexOf(false)).toBe(-1);
});
