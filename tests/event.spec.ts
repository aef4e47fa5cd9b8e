import { clause, test } from '../src/playwright/clause';

test(...clause('event.enabled-sent'));
test(...clause('event.disabled-silent'));
test(...clause('event.own-url'));
test(...clause('event.basic-auth'));
test(...clause('event.apikey-auth'));
test(...clause('event.auth-off'));
test(...clause('event.no-credentials-in-payload'));
