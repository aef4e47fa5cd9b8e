/** Bends of the reference server that several tests use. */
import { editing, put } from '../../../fixtures/faults/tools';
import { type Bend, problem } from '../../../src/reference/behaviour';

/** Answers a missing key with 404, which draws a warning and nothing else. */
export const hidden: Bend = {
  name: 'hidden',
  bend: () => ({ rejection: () => problem(404, 'not_found', 'Nothing here.') }),
};

/** Shows a mask where the password must be null. */
export const masking: Bend = {
  name: 'masking',
  bend: editing((document) => put(document, 'auth.basic.password', '********')),
};

/** A new bend that counts the requests which reach its server. */
export function counting(): Bend & { count: number } {
  const counter: Bend & { count: number } = {
    name: 'counting',
    count: 0,
    bend: ({ around }) => ({
      around: (call, answer) => {
        counter.count += 1;
        return around(call, answer);
      },
    }),
  };
  return counter;
}
