import { clause } from '../src/clause';
import * as version from '../src/judge/version';

clause('version.base', [], version.baseNamesVersion2);
clause('version.unknown', ['version'], version.unknownVersionsServeNothing);
clause('version.unversioned', ['version'], version.unversionedServesNothing);
