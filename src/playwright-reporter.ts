/** What a Playwright configuration names as a reporter, with no types but Playwright's. */
import type { Reporter } from '@playwright/test/reporter';
import Conformance from './playwright/reporter/reporter';

export const ConformanceReporter: new (options?: object) => Reporter = Conformance;
export default ConformanceReporter;
