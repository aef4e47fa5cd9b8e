/** What makes a run fail that no test says. */
export const INCOMPLETE = 'REQUIRE_COMPLETE is set, and a MUST of the core profile was not tested: the run fails.';
export const UNTRIGGERED = 'A target file declares notifications, and its trigger did not work: the run fails.';
