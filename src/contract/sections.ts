/** Where a clause comes from: the sections of the API description, and where RFCs are published. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../common/suite';

/** What the sections say, by number and title; text between backticks is code. */
export const sections: Readonly<Record<string, string>> = parse(
  readFileSync(join(root, 'schemas', 'sections.yaml'), 'utf8'),
);

/** The address of a section such as "RFC 9110 15.5"; `null` for one of the API description. */
export function rfcAddress(section: string): string | null {
  const [, number, part] = /^RFC (\d+) ([\d.]+)$/.exec(section) ?? [];
  return number ? `https://www.rfc-editor.org/rfc/rfc${number}#section-${part}` : null;
}
