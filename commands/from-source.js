// The commands in a clone. Playwright translates their TypeScript, so that no other loader is needed; the package has
// them built.
const { createRequire } = require('node:module');
const ofPlaywright = createRequire(require.resolve('@playwright/test/package.json'));
const { transform } = ofPlaywright('playwright/lib/common');

transform.requireOrImport(require.resolve('./main.ts'));
