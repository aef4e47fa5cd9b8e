/** What SECURITY.md promises of secrets: each encoding of its list, and each of each, becomes a marker. */
import { expect, test } from '@playwright/test';
import { markersIn } from '../../../../src/evidence/markers';
import { Vault } from '../../../../src/recorder/redaction/vault';
import { formsOf } from '../../support/leaks';

const SECRETS = [
  'k3y/of+Alice_4711=ÄöQx-78~Zz',
  'ouBYTb8jTRxF9PAv4saUY3vVFTxEaVsD',
  `pä55/Sek "0815"<ü>&?='\\~`,
  '8letters',
];

for (const secret of SECRETS) {
  test(`of ${secret} every form is masked, two encodings in a row and in JSON`, () => {
    const vault = new Vault();
    vault.add('[secret:apiKey:alice]', secret);
    const isLeft = (text: Buffer, form: Buffer) => {
      const masked = vault.mask(text);
      return masked.includes(form) || markersIn(masked.toString('latin1')).length === 0;
    };
    const twice = [...formsOf(secret, 2)].map(([name, form]) => {
      const text = Buffer.concat([Buffer.from('Wrong: '), form, Buffer.from(' .')]);
      return isLeft(text, form) ? name : '';
    });
    // JSON around it is the second.
    const inJson = [...formsOf(secret)].map(([name, form]) => {
      const text = Buffer.from(JSON.stringify({ error: { hint: form.toString() }, n: 1 }));
      return isLeft(text, form) && form.equals(Buffer.from(form.toString())) ? `${name}, in JSON` : '';
    });
    expect([...twice, ...inJson].filter(Boolean)).toEqual([]);
  });
}
