import * as settings from '../src/judge/settings';
import { clause } from '../src/playwright/clause';

// One read of each account decides most of these; whatever else the run reads is judged with it.
clause('settings.json', ['read'], settings.isJson);
clause('settings.content-type', ['read'], settings.contentTypeIsJson);
clause('settings.envelope', ['read'], settings.envelopeIsWebhook);
clause('settings.kinds', ['read'], settings.kindsAreObjects);
clause('settings.kind-status', ['read'], settings.kindStatusIsBoolean);
clause('settings.kind-url', ['read'], settings.kindUrlIsAbsolute);
clause('settings.auth-status', ['read'], settings.authStatusIsBoolean);
clause('settings.auth-type', ['read'], settings.authTypeIsNamed);
clause('settings.basic', ['read'], settings.basicIsComplete);
clause('settings.username', ['read'], settings.usernameIsText);
clause('settings.password-null', ['read'], settings.passwordIsNull);
clause('settings.password-absent', ['read', 'missing-key', 'unknown-key'], settings.passwordIsAbsent);
clause('settings.has-password-type', ['read'], settings.hasPasswordIsBoolean);
clause('settings.has-password-stored', ['read'], settings.hasPasswordWhereStored);
clause('settings.has-password-not-stored', ['read'], settings.noPasswordWhereNotStored);
clause('settings.apikey', ['read'], settings.apikeyIsComplete);
clause('settings.apikey-unused', ['read'], settings.apikeyIsNullWhenUnused);
clause('settings.as-configured', ['read'], settings.isAsConfigured);
clause('settings.stable', ['read', 'together'], settings.readsAgree);
clause('settings.no-extra', ['read'], settings.hasNoExtraMembers);
