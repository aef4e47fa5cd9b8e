import { suiteConfig } from './src/playwright/suite-config';

export default suiteConfig();
