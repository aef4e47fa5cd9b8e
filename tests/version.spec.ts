import * as version from '../src/judge/version';
import { clause } from '../src/playwright/clause';

clause('version.base', [], version.baseNamesVersion2);
clause('version.unknown', ['version'], version.unknownVersionsServeNothing);
clause('version.unversioned', ['version'], version.unversionedServesNothing);
