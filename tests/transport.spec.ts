import { clause, test } from '../src/playwright/clause';

test(...clause('transport.complete'));
test(...clause('transport.https'));
