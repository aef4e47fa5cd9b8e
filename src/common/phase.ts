/** Returns the first moment from `fromMs` on that is a whole number of periods away from `phaseMs`. */
export function nextOfPhase(fromMs: number, phaseMs: number, periodMs: number): number {
  return fromMs + ((((phaseMs - fromMs) % periodMs) + periodMs) % periodMs);
}
