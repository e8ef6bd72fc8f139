/**
 * The formats of the default engine: those of ajv-formats. The ones that real schemas use most are found valid by looking at each character
 * once. A text that is not found valid this way is left to ajv-formats, so the verdicts are the same.
 */
import type { Ajv as AjvInstance, Format, FormatDefinition } from 'ajv'
import * as ajvModule from 'ajv'
import ajvFormats from 'ajv-formats'
import { type FormatName, fullFormats } from 'ajv-formats/dist/formats.js'

const { _ } = ajvModule
const addAllFormats = ajvFormats.default

type IsValid = (text: string) => boolean

/** The kinds of characters in RFC 3986 and RFC 5322, as bits. */
const enum Kind {
  Digit = 1,
  HexLetter = 2,
  Letter = 4,
  /** `atext` of an e-mail address that is neither a letter nor a digit */
  Atext = 8,
  /** What paths have besides letters and digits. Subdelimiters and `%` are left to ajv-formats. */
  Path = 16,
}

const kinds = new Uint8Array(128)
function setKind(kind: Kind, characters: string): void {
  for (const character of characters) kinds[character.charCodeAt(0)]! |= kind
}
setKind(Kind.Digit, '0123456789')
setKind(Kind.HexLetter, 'abcdefABCDEF')
setKind(Kind.Letter, 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ')
setKind(Kind.Atext, "!#$%&'*+/=?^_`{|}~-")
setKind(Kind.Path, '-._~/')

/** @returns 0 for all characters beyond ASCII, and for places behind the end */
function kindAt(text: string, at: number): number {
  return kinds[text.charCodeAt(at)] ?? 0
}

/** The number that two digits stand for; above 99 if they are not digits. */
function twoDigits(text: string, at: number): number {
  const high = text.charCodeAt(at) - 0x30
  const low = text.charCodeAt(at + 1) - 0x30
  return high >= 0 && high <= 9 && low >= 0 && low <= 9 ? high * 10 + low : 100
}

const HYPHEN = 0x2d
const COLON = 0x3a
const DOT = 0x2e
const SLASH = 0x2f

/** RFC 3339 §5.6. Days after the 28th are left to ajv-formats. */
function isPlainDate(text: string): boolean {
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  return (
    twoDigits(text, 0) < 100 &&
    twoDigits(text, 2) < 100 &&
    text.charCodeAt(4) === HYPHEN &&
    month >= 1 &&
    month <= 12 &&
    text.charCodeAt(7) === HYPHEN &&
    day >= 1 &&
    day <= 28
  )
}

/** More digits could round a fraction of a second up to the next second. */
const MAX_FRACTION_DIGITS = 9

/** RFC 3339 §5.6, from a position to the end of the text. Leap seconds are left to ajv-formats. */
function isPlainTime(text: string, from: number, needsZone: boolean): boolean {
  if (twoDigits(text, from) > 23 || twoDigits(text, from + 3) > 59 || twoDigits(text, from + 6) > 59) return false
  if (text.charCodeAt(from + 2) !== COLON || text.charCodeAt(from + 5) !== COLON) return false
  let at = from + 8
  if (text.charCodeAt(at) === DOT) {
    const first = ++at
    while ((kindAt(text, at) & Kind.Digit) !== 0) at++
    if (at === first || at - first > MAX_FRACTION_DIGITS) return false
  }
  return at === text.length ? !needsZone : isPlainZone(text, at)
}

/** `Z`, or `+02:00`, from a position to the end of the text. */
function isPlainZone(text: string, at: number): boolean {
  const sign = text.charCodeAt(at)
  if (at + 1 === text.length) return sign === 0x5a
  return (
    at + 6 === text.length &&
    (sign === 0x2b || sign === HYPHEN) &&
    twoDigits(text, at + 1) <= 23 &&
    text.charCodeAt(at + 3) === COLON &&
    twoDigits(text, at + 4) <= 59
  )
}

const CAPITAL_T = 0x54

function isPlainDateTime(text: string, needsZone: boolean): boolean {
  return text.charCodeAt(10) === CAPITAL_T && isPlainDate(text) && isPlainTime(text, 11, needsZone)
}

/** `https://example.com/a/path`: a scheme, `//`, and then letters, digits and `-._~/` only. */
function isPlainUri(text: string): boolean {
  if ((kindAt(text, 0) & Kind.Letter) === 0) return false
  let at = 1
  while ((kindAt(text, at) & (Kind.Letter | Kind.Digit)) !== 0) at++
  if (text.charCodeAt(at) !== COLON || text.charCodeAt(at + 1) !== SLASH || text.charCodeAt(at + 2) !== SLASH) return false
  for (at += 3; at < text.length; at++) if ((kindAt(text, at) & (Kind.Letter | Kind.Digit | Kind.Path)) === 0) return false
  return true
}

/** RFC 4122 §3, without `urn:uuid:`. */
function isPlainUuid(text: string): boolean {
  if (text.length !== 36) return false
  for (let at = 0; at < 36; at++) {
    if (at === 8 || at === 13 || at === 18 || at === 23) {
      if (text.charCodeAt(at) !== HYPHEN) return false
    } else if ((kindAt(text, at) & (Kind.Digit | Kind.HexLetter)) === 0) return false
  }
  return true
}

/** RFC 5321 §4.1.2 with an unquoted local part, and a domain of two labels or more. */
function isPlainEmail(text: string): boolean {
  let at = 0
  for (; text.charCodeAt(at) !== 0x40; at++) {
    if ((kindAt(text, at) & (Kind.Letter | Kind.Digit | Kind.Atext)) !== 0) continue
    // A dot stands between two other characters.
    if (text.charCodeAt(at) !== DOT || at === 0 || text.charCodeAt(at - 1) === DOT || text.charCodeAt(at + 1) === 0x40) return false
  }
  if (at === 0) return false
  let labels = 0
  do {
    const first = ++at
    while ((kindAt(text, at) & (Kind.Letter | Kind.Digit)) !== 0 || text.charCodeAt(at) === HYPHEN) at++
    if (at === first || text.charCodeAt(first) === HYPHEN || text.charCodeAt(at - 1) === HYPHEN) return false
    labels++
  } while (text.charCodeAt(at) === DOT)
  return at === text.length && labels > 1
}

/** The function of ajv-formats for a format of texts. */
function given(name: FormatName): IsValid {
  const format = fullFormats[name] as RegExp | IsValid | FormatDefinition<string>
  const validate = format instanceof RegExp || typeof format === 'function' ? format : format.validate
  return validate instanceof RegExp ? (text) => validate.test(text) : (validate as IsValid)
}

/** Adds the comparison that `formatMinimum` and the like use. */
function comparable(name: FormatName, validate: IsValid): Format {
  return { ...(fullFormats[name] as FormatDefinition<string>), validate }
}

const givenDate = given('date')
const givenTime = given('time')
const givenDateTime = given('date-time')
const givenIsoTime = given('iso-time')
const givenIsoDateTime = given('iso-date-time')
const givenUri = given('uri')
const givenUuid = given('uuid')
const givenEmail = given('email')

/** Formats that replace those of ajv-formats. Each is a function of its own source text, so that the engine can inline what it calls. */
const replaced: Readonly<Record<string, Format>> = {
  date: comparable('date', (text) => (text.length === 10 && isPlainDate(text)) || givenDate(text)),
  time: comparable('time', (text) => isPlainTime(text, 0, true) || givenTime(text)),
  'date-time': comparable('date-time', (text) => isPlainDateTime(text, true) || givenDateTime(text)),
  'iso-time': comparable('iso-time', (text) => isPlainTime(text, 0, false) || givenIsoTime(text)),
  'iso-date-time': comparable('iso-date-time', (text) => isPlainDateTime(text, false) || givenIsoDateTime(text)),
  uri: (text: string) => isPlainUri(text) || givenUri(text),
  uuid: (text: string) => isPlainUuid(text) || givenUuid(text),
  email: (text: string) => isPlainEmail(text) || givenEmail(text),
  // Matches the same URLs in linear time. The original pattern backtracks at every `@`, because each may end the user's name, and reads
  // on to the next blank from there.
  url: new RegExp((fullFormats.url as RegExp).source.replace('^', '^(?=\\S*$)').replace('(?::\\S*)?', ''), 'iu'),
  // Without the flag `m` of the original, which accepts a text if one of its lines is valid.
  byte: /^(?:[a-z\d+/]{4})*(?:[a-z\d+/]{2}==|[a-z\d+/]{3}=)?$/i,
}

/** Every format by its name. */
export const formats: Readonly<Record<string, unknown>> = { ...fullFormats, ...replaced }
export const formatNames: ReadonlySet<string> = new Set(Object.keys(formats))

/** Adds the formats, and the keywords `formatMinimum`, `formatMaximum` … */
export function addFormats(jsv: AjvInstance): void {
  // The code of a build gets them among the helpers.
  jsv.opts.code.formats ??= _`helpers.formats`
  addAllFormats(jsv)
  for (const [name, format] of Object.entries(replaced)) jsv.addFormat(name, format)
}
