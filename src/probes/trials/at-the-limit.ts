/** All trials at the rate limit of one run (API description, section 8). */
import type { Recorder } from '../../recorder/recorder';
import { Bursts } from './concurrent';
import { Moments } from './moments';
import { BothPaths } from './paths';
import { EarlyPromises } from './promise';
import { Respelled } from './respelled';
import { Sequences } from './sequence';

export type TrialsAtTheLimit = ReturnType<typeof trialsAtTheLimit>;

export function trialsAtTheLimit(recorder: Recorder) {
  const moments = new Moments(recorder);
  const sequence = new Sequences(recorder, moments);
  const paths = new BothPaths(recorder, moments);
  const concurrent = new Bursts(recorder, moments, sequence, paths);
  return {
    sequence,
    concurrent,
    paths,
    promise: new EarlyPromises(recorder, moments),
    respelled: new Respelled(recorder, moments),
  };
}
