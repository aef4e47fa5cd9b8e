import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import conformanceSchema from '../../../schemas/conformance.schema.json';

/** Whether a value fits the published schema of results; its `errors` say what does not. */
export const isResult = addFormats(new Ajv({ allErrors: true })).compile(conformanceSchema);
