import { clause, test } from '../src/playwright/clause';

test(...clause('version.base'));
test(...clause('version.unknown'));
test(...clause('version.unversioned'));
