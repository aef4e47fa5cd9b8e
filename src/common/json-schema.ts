/** Holds values against JSON Schemas. */
import type { ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020';

/**
 * What is wrong with a value; nothing where it fits. A schema is compiled when the first value is held against it, which
 * takes longer than most runs need for all else; that the project's own are schemas, its tests say.
 * @param options with `allErrors` not only the first error
 */
export function errorsAgainst(schema: object, options: Options = {}): (value: unknown) => ErrorObject[] {
  let validate: ValidateFunction | null = null;
  return (value) => {
    validate ??= compiled(schema, options);
    return validate(value) ? [] : (validate.errors ?? []);
  };
}

function compiled(schema: object, options: Options): ValidateFunction {
  const { Ajv2020 } = require('ajv/dist/2020') as typeof import('ajv/dist/2020');
  const { default: addFormats } = require('ajv-formats') as typeof import('ajv-formats');
  return addFormats(new Ajv2020({ validateSchema: false, ...options })).compile(schema);
}
