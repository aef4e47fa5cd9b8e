/** The list of certified servers, as `register.json` says it. */
import type { Conformance } from '../contract/result';

/** A server of the register. */
export interface RegisteredServer {
  /** `null` where the target file did not say. */
  vendor: string | null;
  product: string;
  version: string | null;
  /** When it was judged, `YYYY-MM-DD`. */
  date: string;
  /** Version of the suite that judged it. */
  suite: string;
  profiles: Conformance['profiles'];
  observations: Record<string, unknown[]>;
  /** Paths from the register's directory. */
  report: string;
  package: string;
}

/** A package that is not listed, and why. */
export interface RefusedPackage {
  package: string;
  reasons: string[];
}

/** What `register.json` says. */
export interface Register {
  suite: { name: string; version: string };
  /** Whether each package had to be signed with one of the keys given. */
  signaturesChecked: boolean;
  servers: RegisteredServer[];
  refused: RefusedPackage[];
}
