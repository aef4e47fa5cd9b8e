/** Narrows the list of clauses. Only the script shows it, because only the script can obey it. */
import { markup } from '../markup';

export const filter = markup`
  <form class="filter" hidden>
    <label><input type="checkbox" name="failed"> only what did not pass</label>\n
    <label>with the words <input type="search" name="text" autocomplete="off" spellcheck="false"></label>\n
    <output aria-live="polite"></output>
  </form>`;
