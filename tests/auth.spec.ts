import * as auth from '../src/judge/auth';
import { clause } from '../src/playwright/clause';

clause('auth.accepted', ['read'], auth.keyIsAccepted);
clause('auth.missing-key', ['missing-key'], auth.isRejected('missing-key'));
clause('auth.empty-key', ['empty-key'], auth.isRejected('empty-key'));
clause('auth.unknown-key', ['unknown-key'], auth.isRejected('unknown-key'));
clause('auth.altered-key', ['altered-key'], auth.isRejected('altered-key'));
clause('auth.other-carrier', ['other-carrier'], auth.isRejected('other-carrier'));
clause('auth.key-in-url', ['key-in-url'], auth.keyInUrlIsRejected);
clause('auth.no-session', ['session'], auth.isRejected('session'));
clause('auth.base-path-rejected', ['base-rejected'], auth.isRejected('base-rejected'));
clause('auth.base-path-accepted', ['base-accepted', 'missing-key', 'base-rejected'], auth.basePathIsAccepted);
clause('auth.every-path', ['every-path'], auth.isNeverAccepted('every-path'));
clause('auth.every-method', ['every-method'], auth.everyMethodNeedsTheKey);
clause('auth.header-name-case', ['header-case'], auth.headerNameCaseIsIgnored);

// From here on every response of the run is judged that bears on the clause, whatever it was asked for.
clause('auth.rejection-status', ['missing-key', 'empty-key', 'unknown-key'], auth.rejectionsAre4xx);
clause('auth.rejection-401-403', ['missing-key', 'empty-key', 'unknown-key'], auth.rejectionsAre401or403);
clause(
  'auth.rejection-discloses-nothing',
  ['read', 'missing-key', 'empty-key', 'unknown-key'],
  auth.rejectionsDiscloseNothing,
);
clause('auth.own-settings', ['read'], auth.settingsAreOnesOwn);
clause('auth.isolation', ['together'], auth.accountsAreIsolated);
clause('auth.key-not-echoed', ['read', 'missing-key', 'unknown-key'], auth.keysAreNotEchoed);
clause('auth.not-publicly-cacheable', ['read'], auth.keyedResponsesAreNotShared);
