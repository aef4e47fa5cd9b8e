import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The specs of judges and limiters that are fast and need nothing but Node. */
export default defineConfig({
  resolve: { alias: { '@playwright/test': fileURLToPath(new URL('playwright.ts', import.meta.url)) } },
  test: {
    include: [
      'tests/self/judge/{auth,settings,rate,verdict,sentences}.spec.ts',
      'tests/self/limiter/{families,reported,trials}.spec.ts',
      'tests/self/contract/settings.spec.ts',
    ],
    testTimeout: 60_000,
    pool: 'forks',
  },
});
