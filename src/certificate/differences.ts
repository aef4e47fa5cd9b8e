/** Where two documents differ, member by member. */
import { isObject } from '../evidence/json';

const LONGEST_VALUE = 120;

/**
 * @param given what a document says
 * @param due what it should say
 * @returns one sentence for each member, such as `verdict is "conformant", not "incomplete"`
 */
export function differencesBetween(given: unknown, due: unknown, path = ''): string[] {
  if (isObject(given) && isObject(due)) {
    const names = new Set([...Object.keys(due), ...Object.keys(given)]);
    return [...names].flatMap((name) =>
      differencesBetween(
        Object.hasOwn(given, name) ? given[name] : undefined,
        Object.hasOwn(due, name) ? due[name] : undefined,
        path === '' ? name : `${path}.${name}`,
      ),
    );
  }
  const [mine, theirs] = [JSON.stringify(due), JSON.stringify(given)];
  return mine === theirs ? [] : [`${path || 'it'} is ${shown(theirs)}, not ${shown(mine)}`];
}

function shown(value: string | undefined): string {
  if (value === undefined) return 'missing';
  return value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}…` : value;
}
