import { suiteConfig } from './src/playwright/setup/suite-config';

export default suiteConfig();
