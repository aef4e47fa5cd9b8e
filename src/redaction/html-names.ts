/** The names that HTML has for the characters of ASCII and Latin-1 and for the euro sign (HTML, section 13.5). */

/** Each name with its code point in hexadecimal. */
const ASCII =
  'Tab 9 NewLine a excl 21 quot 22 QUOT 22 num 23 dollar 24 percnt 25 amp 26 AMP 26 apos 27 lpar 28 rpar 29 ast 2a ' +
  'midast 2a plus 2b comma 2c period 2e sol 2f colon 3a semi 3b lt 3c LT 3c equals 3d gt 3e GT 3e quest 3f ' +
  'commat 40 lsqb 5b lbrack 5b bsol 5c rsqb 5d rbrack 5d Hat 5e lowbar 5f UnderBar 5f grave 60 lcub 7b lbrace 7b ' +
  'verbar 7c vert 7c rcub 7d rbrace 7d euro 20ac hyphen 2010 dash 2010';

/** U+00A0 to U+00FF, in order. */
const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
  'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave ' +
  'Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc ' +
  'Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc ' +
  'iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

/** By the name of a character, such as `auml`. */
export const CODE_POINTS: ReadonlyMap<string, number> = new Map([
  ...[...ASCII.matchAll(/(\w+) (\w+)/g)].map(([, name = '', code = '']) => [name, Number.parseInt(code, 16)] as const),
  ...LATIN_1.split(' ').map((name, i) => [name, 0xa0 + i] as const),
]);
