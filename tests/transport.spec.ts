import { clause } from '../src/clause';
import * as transport from '../src/judge/transport';

clause('transport.complete', ['read', 'missing-key'], transport.answersArriveWhole);
clause('transport.https', [], transport.isEncrypted);
