// An example of tests of your own. It knows the accounts of the embedded server, and runs only against that: copy it.
import { expect, test } from '../../src/own';

test('an account reads its settings, and no password with them', async ({ api }) => {
  const response = await api.as('with-password').get('webhooks');
  await expect(response).toBeOK();
  const { webhook } = await response.json();
  expect(webhook.auth.basic).toMatchObject({ password: null, hasPassword: true });
});

test('nobody reads settings without a key', async ({ api }) => {
  const response = await api.anonymous.get('webhooks');
  await expect(response).not.toBeOK();
});
