import * as transport from '../src/judge/transport';
import { clause } from '../src/playwright/clause';

clause('transport.complete', ['read', 'missing-key'], transport.answersArriveWhole);
clause('transport.https', [], transport.isEncrypted);
