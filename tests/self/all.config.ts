/** `npm run test:all`: every test, and everything of which `npm test` draws a sample. */
import type { PlaywrightTestConfig } from '@playwright/test';

// The workers inherit it. An import would come before it.
process.env.TEST_LEVEL = 'all';
const { default: config } = require('./playwright.config') as { default: PlaywrightTestConfig };

export default config;
