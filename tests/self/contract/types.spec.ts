import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { declarations } from '../../../scripts/types';

test('the types of the schemas are those that the schemas give: `npm run types` writes them', () => {
  expect(declarations().size).toBe(3);
  for (const [file, text] of declarations()) expect(readFileSync(file, 'utf8'), file).toBe(text);
});
