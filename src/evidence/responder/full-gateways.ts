/** Tells the refusals of a limiter from the answers of a gateway that has no room for several requests at once. */
import { speaksOfTheRate } from '../http/headers';
import { type Evidence, type Exchange, ofTheApi, once } from '../model';
import { besides, ownBeside } from '../time/gaps';
import { isRefused, isWhole, letThrough, shapeOf, statusOf } from './classify';

/**
 * The answers to valid keys that look like refusals but came from a gateway without room. They say nothing of a limit, came
 * while other requests were under way, and are made otherwise than any refusal of a request that was alone, or, where
 * none was, of one whose budget was used up.
 */
export const refusedForRoom = once((evidence: Evidence): ReadonlySet<Exchange> => {
  const refused = ofTheApi(evidence).filter((exchange) => isRefused(exchange, evidence));
  const isAlone = (exchange: Exchange) => besides(exchange, evidence).length === 0;
  // A gateway passes on as many as it has room for, whatever becomes of them.
  const isPassedOn = (exchange: Exchange) => isWhole(exchange) && !isRefused(exchange, evidence);
  const ofOneMoment = refused.filter((exchange) => isBare(exchange) && besides(exchange, evidence).some(isPassedOn));
  const alone = new Set(refused.filter(isAlone).map(shapeOf));
  // A server that refuses single requests in another way refuses nothing in this one.
  const isUsedUp = (exchange: Exchange) => alone.size === 0 && !hadBudget(exchange, evidence);
  const shapes = new Set([...alone, ...ofOneMoment.filter(isUsedUp).map(shapeOf)]);
  return new Set(ofOneMoment.filter((exchange) => !shapes.has(shapeOf(exchange))));
});

/** Whether an answer has the status of a refusal, and says nothing of a limit. */
function isBare(exchange: Exchange): boolean {
  return isWhole(exchange) && !speaksOfTheRate(exchange) && [429, 503].includes(statusOf(exchange));
}

/** Whether an account had been let through less often than the rate allows in the window before a request was answered. */
export function hadBudget(exchange: Exchange, evidence: Evidence): boolean {
  const { requests, seconds } = evidence.target.rate;
  return letThrough(ownBeside(exchange, evidence, seconds * 1000), evidence).length < requests;
}
