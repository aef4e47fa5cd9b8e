/** The rules of the core profile, by the ids of their clauses. */
import { authRules } from './auth';
import type { Rules } from './finding';
import { budgetRules } from './rate/budgets';
import { countRules } from './rate/counts';
import { headerRules } from './rate/headers';
import { limitRules } from './rate/limit';
import { promiseRules } from './rate/promises';
import { settingsRules } from './settings';
import { transportRules } from './transport';
import { versionRules } from './version';

export const coreRules: Rules = {
  ...authRules,
  ...settingsRules,
  ...limitRules,
  ...headerRules,
  ...countRules,
  ...promiseRules,
  ...budgetRules,
  ...versionRules,
  ...transportRules,
};
