import type { ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020';

/**
 * Returns a function that lists what is wrong with a value; an empty list means that it fits. The first call compiles
 * the schema, which takes longer than everything else in most runs. The schema itself is not checked by default.
 * @param options with `allErrors`, every error is listed and not only the first
 */
export function errorsAgainst(schema: object, options: Options = {}): (value: unknown) => ErrorObject[] {
  let validate: ValidateFunction | null = null;
  return (value) => {
    if (validate === null) {
      const { Ajv2020 } = require('ajv/dist/2020') as typeof import('ajv/dist/2020');
      const { default: addFormats } = require('ajv-formats') as typeof import('ajv-formats');
      validate = addFormats(new Ajv2020({ validateSchema: false, ...options })).compile(schema);
    }
    return validate(value) ? [] : (validate.errors ?? []);
  };
}
