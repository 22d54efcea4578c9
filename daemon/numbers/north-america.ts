/**
 * The numbers of +1, which many countries share: what an area code says where the numbering plan's data is silent. The
 * data knows which numbers are in use, and a provider connects others too. Area codes as assigned and planned by NANPA.
 */

/** `service`: not a subscriber's number. `toll-free` numbers belong to every country of +1. */
export type AreaKind = 'subscriber' | 'toll-free' | 'premium-rate' | 'personal' | 'service' | 'emergency'

export interface Area {
  readonly kind: AreaKind
  /** ISO 3166 code; null where the area code names none: the United States, or one that is not assigned. */
  readonly country: string | null
}

/** Area codes outside the United States. Its territories are countries of their own here, as in the data: they have other prices. */
const areaCodes: Readonly<Record<string, string>> = {
  AG: '268',
  AI: '264',
  AS: '684',
  BB: '246',
  BM: '441',
  BS: '242',
  CA:
    '204 226 236 249 250 257 263 273 289 306 343 354 365 367 368 382 387 403 416 418 428 431 437 438 450 460 468 474 506 514 519 537 ' +
    '548 568 579 581 584 587 600 604 613 622 633 639 644 647 655 672 677 683 688 705 709 742 753 778 780 782 807 819 825 867 873 879 ' +
    '902 905 942',
  DM: '767',
  DO: '809 829 849',
  GD: '473',
  GU: '671',
  JM: '658 876',
  KN: '869',
  KY: '345',
  LC: '758',
  MP: '670',
  MS: '664',
  PR: '787 939',
  SX: '721',
  TC: '649',
  TT: '868',
  VC: '784',
  VG: '284',
  VI: '340',
}

const countryByArea = new Map(
  Object.entries(areaCodes).flatMap(([country, codes]) => codes.split(' ').map((code) => [code, country] as const)),
)

const kinds: readonly (readonly [RegExp, AreaKind])[] = [
  // 911 and the other N11 codes: a switch may act on the first three digits and ignore the rest.
  [/^911/, 'emergency'],
  [/^[2-9]11/, 'service'],
  // No area code begins so: 0 is the operator, 10XXX and 101XXXX choose another carrier.
  [/^[01]/, 'service'],
  // Nor does an exchange: 9011... is a prefix for other countries. 555 is the area of examples.
  [/^(?!555)...[01]/, 'service'],
  [/^...976/, 'premium-rate'],
  [/^(900|976)/, 'premium-rate'],
  [/^5(00|2[1-9]|3[23]|44|66|77|88)/, 'personal'],
  // Of the caller's own carrier, of the government, and inbound international.
  [/^(700|710|456)/, 'service'],
  [/^8(00|22|33|44|55|66|77|88)/, 'toll-free'],
]

/** @param national the ten digits after +1 */
export function areaOf(national: string): Area {
  const kind = kinds.find(([pattern]) => pattern.test(national))?.[1] ?? 'subscriber'
  return { kind, country: countryByArea.get(national.slice(0, 3)) ?? null }
}
