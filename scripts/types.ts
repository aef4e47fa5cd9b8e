/** `npm run types`: writes the types of the published schemas beside them, so that no shape of a file is said twice. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The part of JSON Schema that has a type. What else a schema asks for is seen only when a value is checked. */
interface Schema {
  description?: string;
  $ref?: string;
  const?: unknown;
  enum?: unknown[];
  type?: string | string[];
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  $defs?: Record<string, Schema>;
}

const folder = join(__dirname, '..', 'schemas');
/** The schemas with the definitions that have types, and the name of the type of the whole. */
const TYPED: ReadonlyArray<{ file: string; whole?: string; parts: readonly string[] }> = [
  {
    file: 'conformance',
    whole: 'conformance',
    parts: ['clause', 'found', 'change', 'declaredAccount', 'limits', 'ownTest'],
  },
  { file: 'target', whole: 'declaration', parts: [] },
  { file: 'evidence', parts: ['target', 'account', 'waiver', 'trigger', 'fault', 'basicCredentials'] },
];

/** Returns the declarations of each schema, by the path of the file that holds them. */
export function declarations(): Map<string, string> {
  return new Map(
    TYPED.map(({ file, whole, parts }) => {
      const schema = JSON.parse(readFileSync(join(folder, `${file}.schema.json`), 'utf8')) as Schema;
      const named = [
        ...(whole ? [[whole, schema] as const] : []),
        ...parts.map((part) => [part, partOf(schema, part)] as const),
      ];
      const texts = named.map(([name, part]) => {
        const form = { ...part, type: 'object' };
        return `${docOf(part)}export interface ${capital(name)} ${typeOf(form, schema, parts)}\n`;
      });
      const origin = `/** Made of ${file}.schema.json by \`npm run types\`. */\n`;
      return [join(folder, `${file}.d.ts`), [origin, ...texts].join('\n')];
    }),
  );
}

function partOf({ $defs }: Schema, name: string): Schema {
  const part = $defs?.[name];
  if (!part) throw new Error(`There is no definition ${name}.`);
  return part;
}

/** @param parts the definitions that have a name as types */
function typeOf(schema: Schema, root: Schema, parts: readonly string[], indent = ''): string {
  const { $ref, enum: values, type, items, properties, required = [], additionalProperties } = schema;
  if ($ref !== undefined) {
    const name = $ref.replace('#/$defs/', '');
    return parts.includes(name) ? capital(name) : typeOf(partOf(root, name), root, parts, indent);
  }
  if ('const' in schema) return literal(schema.const);
  if (values) return values.map(literal).join(' | ');
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one }, root, parts, indent)).join(' | ');
  if (type === 'array') return `${items ? typeOf(items, root, parts, indent) : 'unknown'}[]`;
  if (type === 'integer') return 'number';
  if (type !== 'object') return type ?? 'unknown';
  if (!properties) {
    const held =
      typeof additionalProperties === 'object' ? typeOf(additionalProperties, root, parts, indent) : 'unknown';
    return `Record<string, ${held}>`;
  }
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, member]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${docOf(member, inner)}${inner}${name}${mark}: ${typeOf(member, root, parts, inner)};\n`;
  });
  return `{\n${members.join('')}${indent}}`;
}

function docOf({ description }: Schema, indent = ''): string {
  return description === undefined ? '' : `${indent}/** ${description} */\n`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

if (require.main === module) for (const [file, text] of declarations()) writeFileSync(file, text);
