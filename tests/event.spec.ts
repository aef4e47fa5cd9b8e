import * as event from '../src/judge/event';
import { clause } from '../src/playwright/clause';

clause('event.enabled-sent', ['events'], event.enabledIsSent);
clause('event.disabled-silent', ['events'], event.disabledIsSilent);
clause('event.own-url', ['events'], event.arrivesAtItsOwnUrl);
clause('event.basic-auth', ['events'], event.basicCredentialsAreSent);
clause('event.apikey-auth', ['events'], event.receiverKeyIsSent);
clause('event.auth-off', ['events'], event.nothingIsSentWhileOff);
clause('event.no-credentials-in-payload', ['events'], event.payloadHoldsNoCredentials);
