/** The places in a source text where one small mistake could be made, and the text with all of them built in. */
import { parse } from '@babel/parser';

/** One mistake in one place. */
export interface Mutant {
  /** File, line and change: it stays the same while the code around it does. */
  id: string;
  file: string;
  line: number;
  /** Such as `< becomes <=`. */
  change: string;
  /** The line of the source in which it stands. */
  source: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [member: string]: unknown;
}

/** A place, and what could stand there instead. */
interface Point {
  start: number;
  end: number;
  change: string;
  /** Another text in the place of the node … */
  instead: string;
  /** … which is an expression, or the name of a member. */
  as: 'expression' | 'member' | 'optional member';
}

/** The name of the function that the text with mutants calls: whether the mutant with a number is the active one. */
export const SWITCH = '__isMutant';
/** The same of a text that only tells what mutants would have changed: it gets the value, and what gives the other. */
export const LOOK = '__look';

/** What cannot be worked out twice without changing what comes next, or not within a function of its own. */
const ACTING = /\+\+|--|[^=!<>]=[^=>]|\.(?:push|pop|shift|set|add|delete|exec|next|splice)\(|\b(?:await|yield)\b/;

const OTHER_OPERATOR: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
};

const OTHER_METHOD: Record<string, string> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  // With a function for its start, it leaves nothing out.
  filter: 'slice',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
};

/**
 * Finds every mutant of a source text and builds all of them in, each behind a switch.
 * @param first the number of the first mutant
 * @param isLooking whether the text tells what each mutant would have changed, instead of changing it
 */
export function mutated(
  file: string,
  text: string,
  first: number,
  isLooking: boolean,
): { text: string; mutants: Mutant[] } {
  const points = pointsOf(file, text);
  const seen = new Map<string, number>();
  const mutants = points.map(({ start, change }): Mutant => {
    const line = text.slice(0, start).split('\n').length;
    const source = (text.split('\n')[line - 1] ?? '').trim();
    const name = `${file}: ${source}: ${change}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return { id: count === 1 ? name : `${name} (${count})`, file, line, change, source };
  });
  const write = isLooking ? looking : switched;
  return { text: built(text, 0, text.length, points, first, write), mutants };
}

/** The text from `start` to `end` with the points within it built in. Points are in order, outer ones first. */
function built(
  text: string,
  start: number,
  end: number,
  points: readonly Point[],
  first: number,
  write: typeof switched,
): string {
  let made = '';
  let at = start;
  for (let i = 0; i < points.length; ) {
    const point = points[i] as Point;
    const { start: from, end: to } = point;
    let same = i;
    while (points[same]?.start === from && points[same]?.end === to) same += 1;
    let inside = same;
    while (inside < points.length && (points[inside] as Point).start < to) inside += 1;
    const original = built(text, from, to, points.slice(same, inside), first + same, write);
    made += text.slice(at, from) + write(original, points.slice(i, same), first + i);
    at = to;
    i = inside;
  }
  return made + text.slice(at, end);
}

function switched(original: string, points: readonly Point[], first: number): string {
  return points.reduceRight((sofar, { as, instead }, i) => {
    const isOn = `${SWITCH}(${first + i})`;
    if (as === 'expression') return `(${isOn} ? (${instead}) : (${sofar}))`;
    return `${as === 'member' ? '' : '?.'}[${isOn} ? '${instead}' : '${sofar.replace(/^[?.\s]+/, '')}']`;
  }, original);
}

function looking(original: string, points: readonly Point[], first: number): string {
  return points.reduceRight((sofar, { as, instead }, i) => {
    const other = ACTING.test(instead) ? 'null' : `() => (${instead})`;
    if (as === 'expression') return `${LOOK}(${first + i}, ${sofar}, ${other})`;
    return `${as === 'member' ? '' : '?.'}[${LOOK}(${first + i}, '${sofar.replace(/^[?.\s]+/, '')}', null)]`;
  }, original);
}

function pointsOf(file: string, text: string): Point[] {
  const { program } = parse(text, { sourceFilename: file, sourceType: 'module', plugins: ['typescript', 'estree'] });
  const points: Point[] = [];
  visit(program as unknown as Node, null, text, points);
  return points.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Types hold nothing that runs, except where they are said of an expression. */
const isOfTypes = ({ type }: Node) =>
  type.startsWith('TS') && !['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'].includes(type);

function visit(node: Node, parent: Node | null, text: string, points: Point[]): void {
  if (isOfTypes(node) || node.type === 'ImportDeclaration') return;
  points.push(...pointsAt(node, parent, text));
  for (const [member, value] of Object.entries(node)) {
    const isName = member === 'key' || (member === 'property' && node.computed !== true);
    if (isName || member === 'typeAnnotation' || member === 'typeArguments') continue;
    for (const child of [value].flat()) if (isNode(child)) visit(child, node, text, points);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

function pointsAt(node: Node, parent: Node | null, text: string): Point[] {
  const of = (part: unknown) => text.slice((part as Node).start, (part as Node).end);
  const { start, end } = node;
  const expression = (change: string, instead: string): Point => ({ start, end, change, instead, as: 'expression' });
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const operator = String(node.operator);
      const other = OTHER_OPERATOR[operator];
      const isText = operator === '+' && [node.left, node.right].some((part) => /^['"`]/.test(of(part)));
      if (!other || isText) return [];
      return [expression(`${operator} becomes ${other}`, `(${of(node.left)}) ${other} (${of(node.right)})`)];
    }
    case 'UnaryExpression':
      return node.operator === '!' ? [expression('! is left out', of(node.argument))] : [];
    case 'Literal':
      return literalPoints(node, parent, text, expression);
    case 'ConditionalExpression':
      return isPlain(node.test) ? [negated(node.test as Node, text)] : [];
    case 'IfStatement':
      return ifPoints(node, text);
    case 'CallExpression':
      return methodPoints(node, text);
    default:
      return [];
  }
}

/** Whether a condition has no operator of its own that is mutated anyway. */
function isPlain(test: unknown): boolean {
  return ['CallExpression', 'Identifier', 'MemberExpression', 'ChainExpression'].includes((test as Node).type);
}

type Expression = (change: string, instead: string) => Point;

function literalPoints(node: Node, parent: Node | null, text: string, expression: Expression): Point[] {
  const { value } = node;
  if (typeof value === 'boolean') return [expression(`${value} becomes ${!value}`, String(!value))];
  if (typeof value === 'number') {
    const isMore = expression(`${value} becomes ${value + 1}`, `${text.slice(node.start, node.end)} + 1`);
    return value > 1 ? [isMore, expression(`${value} becomes ${value - 1}`, String(value - 1))] : [isMore];
  }
  const isCompared = parent?.type === 'BinaryExpression' && /^[!=]==$/.test(String(parent.operator));
  return typeof value === 'string' && isCompared ? [expression('another string', `'other'`)] : [];
}

function ifPoints(node: Node, text: string): Point[] {
  const { consequent, alternate, test } = node as Node & { consequent: Node; alternate: Node | null; test: Node };
  const points: Point[] = [];
  const isLeaving = ['ReturnStatement', 'ContinueStatement', 'ThrowStatement'].includes(consequent.type);
  if (!alternate && isLeaving) {
    const { start, end } = test;
    points.push({ start, end, change: 'the guard is left out', instead: 'false', as: 'expression' });
  }
  if (isPlain(test)) points.push(negated(test, text));
  return points;
}

function negated({ start, end }: Node, text: string): Point {
  return { start, end, change: 'the condition is negated', instead: `!(${text.slice(start, end)})`, as: 'expression' };
}

function methodPoints(node: Node, text: string): Point[] {
  const callee = node.callee as Node;
  if (callee.type !== 'MemberExpression' || callee.computed === true) return [];
  const { property, optional } = callee as Node & { property: Node };
  const name = text.slice(property.start, property.end);
  const other = Object.hasOwn(OTHER_METHOD, name) ? OTHER_METHOD[name] : undefined;
  if (!other) return [];
  const change = name === 'filter' ? 'nothing is filtered' : `${name} becomes ${other}`;
  // Between the object and its dot may stand a bracket or a comment.
  const start = text.lastIndexOf(optional ? '?.' : '.', property.start);
  return [{ start, end: property.end, change, instead: other, as: optional ? 'optional member' : 'member' }];
}
